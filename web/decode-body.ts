import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

/** A body without its content codings. */
export interface DecodedBody {
  readonly body: Buffer;
  /** False where the limit cut it, the stream was broken or short, or a coding is unknown. */
  readonly complete: boolean;
}

/** Codings stacked higher than this are not peeled off: nobody honest sends them. */
const CODING_LIMIT = 3;

/** Fed to the decoder at a time: zlib forgets what a failing step had made, so steps are small. */
const STEP_BYTES = 16_384;

/**
 * Undoes `Content-Encoding` (RFC 9110 §8.4.1): gzip, deflate (with or without the zlib wrapper) and br. At most
 * `maxBodyBytes` come out of each coding, so that a decompression bomb costs no more than an honest page (R30);
 * what could be read of a broken stream is kept. An unknown coding gives nothing.
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
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > CODING_LIMIT) return { body: Buffer.alloc(0), complete: false };

  let decoded: DecodedBody = { body: rawBody, complete: true };
  for (const coding of codings.reverse()) {
    const { body, complete } = await undo(coding, decoded.body, maxBodyBytes);
    decoded = { body, complete: complete && decoded.complete };
  }
  return decoded;
}

async function undo(coding: string, body: Buffer, maxBytes: number): Promise<DecodedBody> {
  if (body.length === 0) return { body, complete: true };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      // Some servers name the coding and send the page as it is.
      return isGzip(body) ? run(createGunzip(), body, maxBytes) : { body, complete: true };
    case 'deflate':
      return run(isZlib(body) ? createInflate() : createInflateRaw(), body, maxBytes);
    case 'br':
      return run(createBrotliDecompress(), body, maxBytes);
    default:
      return { body: Buffer.alloc(0), complete: false };
  }
}

/** RFC 1952 §2.3.1. */
function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** RFC 1950 §2.2: method 8, and the first two bytes are a multiple of 31. */
function isZlib(body: Buffer): boolean {
  return body.length >= 2 && (body.readUInt8(0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}

function run(decoder: Transform, body: Buffer, maxBytes: number): Promise<DecodedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (complete: boolean) => {
      decoder.destroy();
      resolve({ body: Buffer.concat(chunks, bytes), complete });
    };

    decoder.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, maxBytes - bytes);
      chunks.push(kept);
      bytes += kept.length;
      if (kept.length < chunk.length) finish(false);
    });
    decoder.once('end', () => {
      finish(true);
    });
    decoder.on('error', () => {
      finish(false);
    });
    feed(decoder, body);
  });
}

function feed(decoder: Transform, body: Buffer): void {
  let offset = 0;
  const step = () => {
    if (decoder.destroyed) return;
    if (offset >= body.length) {
      // Ended by itself, after the last step: else what a short stream held to its end would be lost.
      decoder.end();
      return;
    }
    const slice = body.subarray(offset, offset + STEP_BYTES);
    offset += slice.length;
    decoder.write(slice, (error) => {
      if (!error) step();
    });
  };
  step();
}
