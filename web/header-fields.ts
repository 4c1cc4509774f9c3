import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';

/** Header fields in the order in which they were sent; names as they were spelt. */
export type HeaderFields = readonly (readonly [string, string])[];

/** The values of all header fields of a name, given in lower case, in their order. */
export function fieldsNamed(
  { headers }: { readonly headers: HeaderFields },
  name: string,
): readonly string[] {
  return headers.filter(([field]) => field.toLowerCase() === name).map(([, value]) => value);
}

/** The first value of a name, given in lower case: a field that may stand once only counts as it stands first. */
export function fieldNamed(
  head: { readonly headers: HeaderFields },
  name: string,
): string | undefined {
  return fieldsNamed(head, name)[0];
}

/** Names and values by turns. */
export type RawHeaders = Dispatcher.DispatchController['rawHeaders'];

/** The fields as a client hands them over; none where it has none. */
export function fieldsOf(raw: RawHeaders): HeaderFields {
  return rawFieldsOf(raw).map(([name, value]) => [textOf(name), textOf(value)] as const);
}

/** The first `Location`, fit to be read as a URL: bytes that are no UTF-8 are percent-encoded. */
export function locationOf(raw: RawHeaders): string | undefined {
  const first = rawFieldsOf(raw).find(([name]) => textOf(name).toLowerCase() === 'location');
  if (first === undefined) return undefined;
  const [, value] = first;
  return typeof value === 'string' || isUtf8(value) ? textOf(value) : percentEncoded(value);
}

function rawFieldsOf(raw: RawHeaders): readonly (readonly [string | Buffer, string | Buffer])[] {
  if (!Array.isArray(raw)) return [];
  const fields: [string | Buffer, string | Buffer][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    fields.push([raw[index] ?? '', raw[index + 1] ?? '']);
  }
  return fields;
}

/** Header bytes are Latin-1 by the standard (RFC 9110 §5.5), UTF-8 in the field, where they are valid as such. */
function textOf(word: string | Buffer): string {
  if (typeof word === 'string') return word;
  return word.toString(isUtf8(word) ? 'utf8' : 'latin1');
}

function percentEncoded(bytes: Buffer): string {
  const spelt = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, spelt);
}
