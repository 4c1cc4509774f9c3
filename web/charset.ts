import { TextDecoder } from 'node:util';
import { readTags } from './html-tags.ts';
import type { Attributes } from './html-tags.ts';

/** A page as text, and the encoding (WHATWG name) that it was read in. */
export interface DecodedHtml {
  readonly text: string;
  readonly charset: string;
}

/** How far into a page a declaration is believed at once (HTML §13.2.3.2). */
const PRESCAN_BYTES = 1_024;

/** How far one is looked for where the page is no UTF-8: browsers begin anew at one (HTML §13.2.3.4). Our choice. */
const LATE_BYTES = 65_536;

/**
 * Reads a page's bytes as text. The encoding is that of the byte order mark, else of `Content-Type`, else of a
 * `meta` or XML declaration in the first 1024 bytes, else UTF-8 where the bytes are valid as such, else of a `meta`
 * further down, else windows-1252 (HTML §13.2.3). Labels that the Encoding Standard does not know are passed over.
 */
export function decodeHtml(body: Uint8Array, contentType: string): DecodedHtml {
  const decoder =
    byteOrderMark(body) ??
    decoderFor(charsetOf(contentType)) ??
    declaredInside(body.subarray(0, PRESCAN_BYTES)) ??
    (isUtf8(body) ? new TextDecoder() : undefined) ??
    declaredInside(body.subarray(0, LATE_BYTES)) ??
    new TextDecoder('windows-1252');
  const charset = decoder.encoding;
  // Some versions of Node read windows-1252 as Latin-1, unless they are asked for a part; no part has a remainder.
  return { text: decoder.decode(body, { stream: charset === 'windows-1252' }), charset };
}

/** What is asked of a decoder here; `TextDecoder` is one. */
interface Decoder {
  readonly encoding: string;
  readonly decode: (body: Uint8Array, options?: { readonly stream?: boolean }) => string;
}

/** The one encoding of the Encoding Standard for pages that Node does not have. */
const ISO_8859_16: Decoder = {
  encoding: 'iso-8859-16',
  decode: (body) =>
    Buffer.from(body)
      .toString('latin1')
      .replaceAll(/[\xA0-\xFF]/gu, (byte) => FROM_A0_TO_FF.charAt(byte.charCodeAt(0) - 0xa0)),
};
const FROM_A0_TO_FF =
  '\u00A0ĄąŁ€„Š§š©Ș«Ź\u00ADźŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ';

function byteOrderMark([first, second, third]: Uint8Array): Decoder | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder();
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function decoderFor(label: string | undefined): Decoder | undefined {
  if (label === undefined) return undefined;
  if (label.toLowerCase() === 'iso-8859-16') return ISO_8859_16;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** The first declaration of an encoding that we know. */
function declaredInside(start: Uint8Array): Decoder | undefined {
  const head = Buffer.from(start).toString('latin1');
  const xml = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  const labels = xml === undefined ? [] : [xml];
  readTags(head, {
    onOpenTag: (name, attributes) => {
      if (name === 'meta') labels.push(...labelsOf(attributes));
    },
    onCloseTag: () => undefined,
    onTitle: () => undefined,
  });
  for (const label of labels) {
    // Means windows-1252 in a page (HTML §13.2.3.2).
    const decoder = decoderFor(label.toLowerCase() === 'x-user-defined' ? 'windows-1252' : label);
    // A declaration that could be read byte by byte can't be UTF-16.
    if (decoder !== undefined)
      return decoder.encoding.startsWith('utf-16') ? new TextDecoder() : decoder;
  }
  return undefined;
}

/** `charset` itself, or that of a `content` that stands for the header of this name. */
function labelsOf(meta: Attributes): readonly string[] {
  const charset = meta.get('charset');
  const isHeader = meta.get('http-equiv')?.toLowerCase() === 'content-type';
  const inContent = /charset\s*=\s*["']?\s*([^\s"';]+)/i.exec(meta.get('content') ?? '')?.[1];
  return [charset, isHeader ? inContent : undefined].filter((label) => label !== undefined);
}

/** Allows for a last character that was cut off. */
function isUtf8(body: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true });
    return true;
  } catch {
    return false;
  }
}
