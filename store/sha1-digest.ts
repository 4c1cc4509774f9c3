import { createHash } from 'node:crypto';

/**
 * The labelled digest of the parts laid end to end, `sha1:` and 32 base32 characters (RFC 4648 §6): the spelling
 * that WARC tools agree on (WARC/1.1 §5.8, §5.9).
 */
export function sha1Digest(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return `sha1:${base32(hash.digest())}`;
}

const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Needs no padding: 20 bytes are exactly 32 groups of 5 bits. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let heldBits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    heldBits += 8;
    while (heldBits >= 5) {
      heldBits -= 5;
      text += BASE32_ALPHABET.charAt((held >> heldBits) & 31);
    }
    held &= (1 << heldBits) - 1;
  }
  return text;
}
