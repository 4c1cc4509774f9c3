import type { RobotsRules } from '../domain/robots.ts';

/** The most files and, as counted by `bytesOf`, bytes of them that one process keeps parsed; our choice. */
const MOST_FILES = 5_000;
const MOST_BYTES = 32_000_000;

/** The parsed robots.txt files of one process: those that were asked for last. */
export class RobotsCache {
  readonly #mostBytes: number;
  readonly #files = new Map<string, RobotsRules>();
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): RobotsRules | undefined {
    const rules = this.#files.get(key);
    if (rules === undefined) return undefined;
    this.#files.delete(key);
    this.#files.set(key, rules);
    return rules;
  }

  set(key: string, rules: RobotsRules): void {
    this.#drop(key);
    this.#files.set(key, rules);
    this.#bytes += bytesOf(rules);
    for (const oldest of this.#files.keys()) {
      // A file that is larger than all may be is kept until the next one comes, else it would be read for every page.
      const isOver = this.#bytes > this.#mostBytes || this.#files.size > MOST_FILES;
      if (!isOver || oldest === key) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const rules = this.#files.get(key);
    if (rules === undefined) return;
    this.#files.delete(key);
    this.#bytes -= bytesOf(rules);
  }
}

/** What a rule or a sitemap takes beside its text: objects, arrays and the heads of strings. */
const BYTES_BESIDE_TEXT = 200;

/** About what a file's rules take in memory: a letter counts twice, as written and as compared. */
function bytesOf({ rules, sitemaps }: RobotsRules): number {
  const ofRules = rules.reduce((sum, { octets }) => sum + 2 * octets + BYTES_BESIDE_TEXT, 0);
  return sitemaps.reduce((sum, { length }) => sum + length + BYTES_BESIDE_TEXT, ofRules);
}
