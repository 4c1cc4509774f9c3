/** A key's hash: four 32-bit words, evenly spread. */
export type KeyHash = Uint32Array;

/** Bits a URL and hashes, as R22 asks; 0.8 % false positives when the filter is full. */
const BITS_A_KEY = 10;
const HASHES = 7;

/** The smallest filter: 1.3 MB. Our choice. */
const LEAST_CAPACITY = 2 ** 20;

/**
 * A set that never forgets a member and takes few others for one (Bloom 1970). The places of a key are drawn from two
 * parts of its hash (Kirsch and Mitzenmacher 2006).
 */
export class BloomFilter {
  /** How many keys it is planned for. */
  readonly capacity: number;
  readonly #bits: number;
  readonly #words: Uint32Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#bits = capacity * BITS_A_KEY;
    this.#words = new Uint32Array(Math.ceil(this.#bits / 32));
  }

  add(hash: KeyHash): void {
    for (const bit of this.#places(hash)) {
      const word = Math.floor(bit / 32);
      this.#words[word] = (this.#words[word] ?? 0) | (1 << (bit % 32));
    }
  }

  /** False: surely not added. */
  mayHold(hash: KeyHash): boolean {
    for (const bit of this.#places(hash)) {
      if (((this.#words[Math.floor(bit / 32)] ?? 0) & (1 << (bit % 32))) === 0) return false;
    }
    return true;
  }

  *#places([a = 0, b = 0, c = 0, d = 0]: KeyHash): Generator<number> {
    let place = wide(a, b) % this.#bits;
    const step = 1 + (wide(c, d) % (this.#bits - 1));
    for (let n = 0; n < HASHES; n += 1) {
      yield place;
      place = (place + step) % this.#bits;
    }
  }
}

/** 53 bits of 64, so that filters beyond 2^32 bits are filled evenly. */
function wide(high: number, low: number): number {
  return high * 2 ** 21 + (low >>> 11);
}

/** The size of filter for so many keys: a power of two, so that each is at least twice the one that it has outgrown. */
export function filterCapacity(keys: number): number {
  return Math.max(LEAST_CAPACITY, 2 ** Math.ceil(Math.log2(keys + 1)));
}

/** Which share of new keys a filter of this size takes for known ones, by the usual estimate (1 − e^(−kn/m))^k. */
export function falsePositiveShare(keys: number, capacity: number): number {
  return (1 - Math.exp((-HASHES * keys) / (capacity * BITS_A_KEY))) ** HASHES;
}
