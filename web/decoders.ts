import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

/** What one decoder made of a body. */
export interface Run {
  readonly body: Buffer;
  /** False where the limit cut it, or the stream was broken or short. */
  readonly complete: boolean;
  /** In zlib's words. */
  readonly error?: string;
}

/** Undoes one coding; at most `maxBytes` come out. */
export type Decoder = (body: Buffer, maxBytes: number) => Promise<Run>;

/** Decoders to be tried in turn; none for a body that is sent as it is, with a coding that was never applied. */
export function decodersOf(coding: string, body: Buffer): readonly Decoder[] {
  if (isGzip(body)) return coding === 'br' ? [runBrotli, runGunzip] : [runGunzip];
  switch (coding) {
    case 'deflate':
      return isZlib(body) ? [runInflate, runInflateRaw] : [runInflateRaw];
    case 'br':
      return [runBrotli];
    default:
      return [];
  }
}

/** Fed to the decoder at a time: zlib forgets what a failing step had made, so steps are small. */
const STEP_BYTES = 16_384;

const runBrotli: Decoder = (body, maxBytes) => run(createBrotliDecompress(), body, maxBytes);
const runInflate: Decoder = (body, maxBytes) => run(createInflate(), body, maxBytes);
const runInflateRaw: Decoder = (body, maxBytes) => run(createInflateRaw(), body, maxBytes);

/**
 * Node takes bytes after a gzip stream for a further one; where they are none, they are as harmless as padding. A
 * checksum that is wrong is no reason to lose the end of the page.
 */
const runGunzip: Decoder = async (body, maxBytes) => {
  const whole = await run(createGunzip(), body, maxBytes);
  const isJunkBehind = BAD_HEADER.test(whole.error ?? '');
  if (!isJunkBehind && !BAD_CHECKSUM.test(whole.error ?? '')) return whole;
  const first = await runInflateRaw(body.subarray(gzipHeaderBytes(body)), maxBytes);
  if (!first.complete) return whole;
  const longer = first.body.length >= whole.body.length ? first : whole;
  return { body: longer.body, complete: isJunkBehind };
};

/** What zlib says of them; it has one code for all. */
const BAD_HEADER = /^(incorrect header check|unknown (compression method|header flags))/;
const BAD_CHECKSUM = /^incorrect (data|length) check/;

/** RFC 1952 §2.3: ten bytes, then an extra field, a name, a comment and a checksum, each if its flag is set. */
function gzipHeaderBytes(body: Buffer): number {
  const flags = body[3] ?? 0;
  const behindText = (start: number) => body.indexOf(0, start) + 1 || body.length;
  let end = 10;
  if (flags & 4) end += 2 + (body[10] ?? 0) + 256 * (body[11] ?? 0);
  if (flags & 8) end = behindText(end);
  if (flags & 16) end = behindText(end);
  return flags & 2 ? end + 2 : end;
}

/** Whether bytes begin as gzip does (RFC 1952 §2.3.1). */
export function isGzip(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** RFC 1950 §2.2: method 8, and the first two bytes are a multiple of 31. */
function isZlib(body: Buffer): boolean {
  return body.length >= 2 && (body.readUInt8(0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}

function run(decoder: Transform, body: Buffer, maxBytes: number): Promise<Run> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (end: Omit<Run, 'body'>) => {
      decoder.destroy();
      resolve({ body: Buffer.concat(chunks, bytes), ...end });
    };

    decoder.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, maxBytes - bytes);
      chunks.push(kept);
      bytes += kept.length;
      if (kept.length < chunk.length) finish({ complete: false });
    });
    decoder.once('end', () => {
      finish({ complete: true });
    });
    decoder.on('error', (error) => {
      finish({ complete: false, error: error.message });
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
