import { decodersOf } from './decoders.ts';
import type { Decoder, Run } from './decoders.ts';

/** A body without its content codings. */
export interface DecodedBody {
  readonly body: Buffer;
  /** False where the limit cut it, or the stream was broken or short, so that there may be more of the page. */
  readonly complete: boolean;
  /** What is wrong with the coding, where nothing could be read. */
  readonly fault?: string;
}

/** Codings stacked higher than this are not peeled off: nobody honest sends them. */
export const CODING_LIMIT = 3;

/**
 * Undoes the codings in `Content-Encoding`, the last one first (RFC 9110 §8.4.1): gzip, deflate (with or without the
 * zlib wrapper) and br. At most `maxBodyBytes` come out of each coding, so that a decompression bomb costs no more
 * than an honest page (R30); what could be read of a broken stream is given. Nothing comes out of a
 * coding that is unknown, or broken from its first byte, unless the page is there as it is.
 */
export async function decodeBody(
  rawBody: Buffer,
  contentEncoding: string,
  maxBodyBytes: number,
): Promise<DecodedBody> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && !NO_CODINGS.has(coding));
  if (rawBody.length === 0) return { body: rawBody, complete: true };
  const refusal = refusalOf(codings);
  if (refusal !== undefined && isMarkup(rawBody)) return { body: rawBody, complete: true };
  if (refusal !== undefined) return { body: Buffer.alloc(0), complete: false, fault: refusal };

  let decoded: DecodedBody = { body: rawBody, complete: true };
  for (const coding of codings.reverse()) {
    const undone = await undo(coding, decoded.body, maxBodyBytes);
    decoded = { ...undone, complete: undone.complete && decoded.complete };
    if (decoded.fault !== undefined) return decoded;
  }
  return decoded;
}

function refusalOf(codings: readonly string[]): string | undefined {
  if (codings.length > CODING_LIMIT) return `${codings.length} codings, one on the other`;
  const unknown = codings.find((coding) => !CODINGS.has(coding));
  return unknown === undefined ? undefined : `the unknown coding "${unknown.slice(0, 40)}"`;
}

/** Beside the one of the standard, what people write there who mean another header. */
export const NO_CODINGS: ReadonlySet<string> = new Set([
  'identity',
  'none',
  'binary',
  '8bit',
  'utf-8',
  'utf8',
]);

/** Those that are undone; `Accept-Encoding` names the ones of the standard. */
export const CODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

async function undo(coding: string, body: Buffer, maxBytes: number): Promise<DecodedBody> {
  if (body.length === 0) return { body, complete: true };
  const decoded = await firstThatDecodes(decodersOf(coding, body), body, maxBytes);
  if (decoded === undefined) return { body, complete: true };
  const { complete, error = 'it ends before its first byte' } = decoded;
  if (complete || decoded.body.length > 0) return { body: decoded.body, complete };
  return { body: decoded.body, complete, fault: `bad ${coding}: ${error}` };
}

async function firstThatDecodes(
  decoders: readonly Decoder[],
  body: Buffer,
  maxBytes: number,
): Promise<Run | undefined> {
  let last: Run | undefined;
  for (const decoder of decoders) {
    last = await decoder(body, maxBytes);
    if (last.body.length > 0 || last.complete) return last;
  }
  // Some servers name a coding and send the page as it is.
  return isMarkup(body) ? undefined : last;
}

function isMarkup(body: Buffer): boolean {
  return /^\s*<[!?a-z]/i.test(body.toString('latin1', 0, 100));
}
