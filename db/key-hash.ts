import { createHash } from 'node:crypto';
import type { KeyHash } from '../domain/bloom-filter.ts';

/** Bytes of a hash. */
export const KEY_HASH_BYTES = 16;

/** The MD5 of a URL key: what the frontier's unique key holds of it, so two keys of one hash are one URL to Decorum. */
export function keyHashOf(urlKey: string): KeyHash {
  return wordsOf(createHash('md5').update(urlKey).digest());
}

/** The hashes that lie end to end in `bytes`, one after another. */
export function* keyHashesIn(bytes: Buffer): Generator<KeyHash> {
  for (let at = 0; at + KEY_HASH_BYTES <= bytes.length; at += KEY_HASH_BYTES) {
    yield wordsOf(bytes.subarray(at, at + KEY_HASH_BYTES));
  }
}

function wordsOf(bytes: Buffer): KeyHash {
  return Uint32Array.of(
    bytes.readUInt32LE(0),
    bytes.readUInt32LE(4),
    bytes.readUInt32LE(8),
    bytes.readUInt32LE(12),
  );
}
