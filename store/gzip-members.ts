import { open, type FileHandle } from 'node:fs/promises';
import { crc32, inflateRaw } from 'node:zlib';

/** Read at once; a member longer than this is read again with twice as much. */
const WINDOW_BYTES = 4_000_000;

/**
 * Where a file's last whole gzip member ends, in bytes from the start: members are walked one by one, each checked by
 * its checksum and length (RFC 1952 §2.3), up to the end of the file or the first that isn't whole.
 */
export async function endOfWholeMembers(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    let end = 0;
    let windowBytes = WINDOW_BYTES;
    for (;;) {
      const window = await read(file, end, windowBytes);
      const { wholeBytes, isBroken } = await walk(window);
      end += wholeBytes;
      if (isBroken || window.length < windowBytes) return end;
      windowBytes = wholeBytes > 0 ? WINDOW_BYTES : windowBytes * 2;
    }
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, position: number, lengthBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(lengthBytes);
  let filled = 0;
  while (filled < lengthBytes) {
    const { bytesRead } = await file.read(bytes, filled, lengthBytes - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Walks the members that the bytes begin with; not broken means that the last one may just want more bytes. */
async function walk(
  bytes: Buffer,
): Promise<{ readonly wholeBytes: number; readonly isBroken: boolean }> {
  let wholeBytes = 0;
  for (;;) {
    const member = await firstMember(bytes.subarray(wholeBytes));
    if (member.kind !== 'whole') return { wholeBytes, isBroken: member.kind === 'broken' };
    wholeBytes += member.lengthBytes;
  }
}

type Member =
  | { readonly kind: 'whole'; readonly lengthBytes: number }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'broken' };

/** The header that Node's gzip writes: no name, no comment, no extra field. */
const HEADER_START = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

async function firstMember(bytes: Buffer): Promise<Member> {
  if (bytes.length <= HEADER_BYTES) return { kind: 'unfinished' };
  if (!bytes.subarray(0, HEADER_START.length).equals(HEADER_START)) return { kind: 'broken' };
  const inflated = await inflateFirst(bytes.subarray(HEADER_BYTES));
  if (inflated.kind !== 'inflated') return inflated;

  const trailerAt = HEADER_BYTES + inflated.usedBytes;
  const lengthBytes = trailerAt + TRAILER_BYTES;
  if (bytes.length < lengthBytes) return { kind: 'unfinished' };
  const isRight =
    bytes.readUInt32LE(trailerAt) === crc32(inflated.content) &&
    bytes.readUInt32LE(trailerAt + 4) === inflated.content.length % 2 ** 32;
  return isRight ? { kind: 'whole', lengthBytes } : { kind: 'broken' };
}

type Inflated =
  | {
      readonly kind: 'inflated';
      readonly content: Buffer;
      /** How many of the bytes given the deflate stream took up. */
      readonly usedBytes: number;
    }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'broken' };

function inflateFirst(bytes: Buffer): Promise<Inflated> {
  return new Promise((resolve) => {
    inflateRaw(bytes, { info: true }, (error, result) => {
      if (error !== null) {
        resolve({
          kind: 'code' in error && error.code === 'Z_BUF_ERROR' ? 'unfinished' : 'broken',
        });
        return;
      }
      // With `info` the result isn't the buffer that the types promise (Node's zlib documentation, "Class: Options").
      const { buffer, engine } = result as unknown as {
        readonly buffer: Buffer;
        readonly engine: { readonly bytesWritten: number };
      };
      resolve({ kind: 'inflated', content: buffer, usedBytes: engine.bytesWritten });
    });
  });
}
