import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { HeaderLines } from './exchange.ts';

/** The most that a stored body may grow to when it is decoded: a bomb shall not fill the memory (R30). */
const DECODED_BYTES = 100_000_000;

/**
 * Undoes the Content-Encodings of a stored body, last one first (RFC 9110 §8.4). A cut body gives as much as can be
 * decoded; a body that isn't what its header says, or whose encoding isn't known, is given as it is.
 */
export async function decodedBody(headers: HeaderLines, rawBody: Buffer): Promise<Buffer> {
  const encodings = headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');

  let body = rawBody;
  for (const encoding of encodings.reverse()) {
    const decode = decoders[encoding];
    if (decode === undefined) return body;
    try {
      body = await decode(body);
    } catch (error) {
      if (isTooLarge(error)) throw error;
      return body;
    }
  }
  return body;
}

const lenient = {
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
  maxOutputLength: DECODED_BYTES,
};
const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotliDecompress = promisify(zlib.brotliDecompress);

const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => gunzip(bytes, lenient),
  'x-gzip': (bytes) => gunzip(bytes, lenient),
  // Some servers leave out the zlib wrapper (RFC 9110 §8.4.1.2).
  deflate: (bytes) => inflate(bytes, lenient).catch(() => inflateRaw(bytes, lenient)),
  br: (bytes) =>
    brotliDecompress(bytes, {
      finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
      maxOutputLength: DECODED_BYTES,
    }),
};

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
