import type { FoundLink } from '../db/settle.ts';
import { keyHashOf } from '../db/key-hash.ts';

/** A power of two; 2 MB. Our choice: the links that a few hundred sites repeat on every page. */
const SLOTS = 2 ** 17;
const WORDS = 4;

/**
 * The URL keys that this process has lately seen in the frontier, by their hashes whole: what it holds is there, what it
 * doesn't hold may be. It spares the links that a site repeats on every page their way through the outbox (R22). Each
 * key has one slot, and the latest comer has it.
 */
export class SeenCache {
  readonly #words = new Uint32Array(SLOTS * WORDS);

  has(crawlId: number, key: string): boolean {
    const hash = hashOf(crawlId, key);
    const from = slotOf(hash);
    return hash.every((word, at) => this.#words[from + at] === word);
  }

  /** Keys that the frontier holds: their transaction has ended. */
  add(crawlId: number, keys: readonly string[]): void {
    for (const key of keys) {
      const hash = hashOf(crawlId, key);
      this.#words.set(hash, slotOf(hash));
    }
  }

  /** After a lost connection: what the database said before it may have been lost with it. */
  clear(): void {
    this.#words.fill(0);
  }

  /** Those links that the frontier may not hold yet. */
  notSeen<T extends FoundLink>(crawlId: number, links: readonly T[]): readonly T[] {
    return links.filter(({ key }) => !this.has(crawlId, key));
  }
}

function hashOf(crawlId: number, key: string): Uint32Array {
  return keyHashOf(`${String(crawlId)} ${key}`);
}

function slotOf([first = 0]: Uint32Array): number {
  return (first % SLOTS) * WORDS;
}
