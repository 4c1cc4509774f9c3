import { TextDecoder } from 'node:util';

/** A page as text, and the encoding (WHATWG name) that it was read in. */
export interface DecodedHtml {
  readonly text: string;
  readonly charset: string;
}

/** How far into a page a declaration is looked for (HTML §13.2.3.2). */
const PRESCAN_BYTES = 1_024;

/**
 * Reads a page's bytes as text. The encoding is that of the byte order mark, else of `Content-Type`, else of a
 * `meta` or XML declaration in the first 1024 bytes, else UTF-8 where the bytes are valid as such, else
 * windows-1252 (HTML §13.2.3.2). Labels that the Encoding Standard does not know are passed over.
 */
export function decodeHtml(body: Uint8Array, contentType: string): DecodedHtml {
  const decoder =
    byteOrderMark(body) ??
    decoderFor(charsetOf(contentType)) ??
    declaredInside(body) ??
    (isUtf8(body) ? new TextDecoder() : new TextDecoder('windows-1252'));
  const charset = decoder.encoding;
  // Some versions of Node read windows-1252 as Latin-1, unless they are asked for a part; no part has a remainder.
  return { text: decoder.decode(body, { stream: charset === 'windows-1252' }), charset };
}

function byteOrderMark([first, second, third]: Uint8Array): TextDecoder | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder();
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be');
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function declaredInside(body: Uint8Array): TextDecoder | undefined {
  const head = String.fromCharCode(...body.subarray(0, PRESCAN_BYTES)).replace(
    /<!--.*?(-->|$)/gs,
    '',
  );
  const label =
    /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  const decoder = decoderFor(label);
  // A declaration that could be read byte by byte can't be UTF-16.
  return decoder?.encoding.startsWith('utf-16') ? new TextDecoder() : decoder;
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
