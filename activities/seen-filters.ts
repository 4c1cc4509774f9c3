import type { SeenFilter } from '../db/admit.ts';
import type { Db } from '../db/pool.ts';
import { BEFORE_ALL_KEYS, readSeenKeys, seenTestOf, type KeyPosition } from '../db/seen-keys.ts';
import type { Shard } from '../db/shards.ts';
import { BloomFilter, filterCapacity } from '../domain/bloom-filter.ts';
import { keyHashesIn, keyHashOf } from '../db/key-hash.ts';
import { isChecked } from '../domain/seen-test.ts';

/** Keys read in one round for a filter that is being filled; our choice: some tenths of a second. */
const KEYS_A_ROUND = 50_000;

interface Filling {
  readonly filter: BloomFilter;
  position: KeyPosition;
}

interface ShardFilters {
  current: BloomFilter | undefined;
  filling: Filling | undefined;
}

/**
 * The filters of one process, one for each shard whose crawl knows URLs by filter only. They are only ever a hint: each
 * is filled from the frontier, round by round, while the unique key or its smaller predecessor does the work, and it
 * may lack what another process has let in.
 */
export class SeenFilters {
  readonly #shards = new Map<string, ShardFilters>();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A shard's filter for one admit; `undefined` where the unique key is to be asked. Fills a further part. */
  async of(db: Db, shard: Shard): Promise<SeenFilter | undefined> {
    const { kind, known } = await seenTestOf(db, shard);
    const name = nameOf(shard);
    if (kind !== 'filter') {
      this.#shards.delete(name);
      return undefined;
    }
    const filters = this.#shards.get(name) ?? { current: undefined, filling: undefined };
    this.#shards.set(name, filters);
    if (filters.filling === undefined && known > (filters.current?.capacity ?? -1)) {
      filters.filling = {
        filter: new BloomFilter(filterCapacity(known)),
        position: BEFORE_ALL_KEYS,
      };
    }
    await fill(db, shard, filters);
    const { current } = filters;
    if (current === undefined) return undefined;
    return {
      mayHold: (key) => current.mayHold(keyHashOf(key)),
      checks: () => isChecked(this.#random),
    };
  }

  /** Keys that the frontier holds now. */
  add(shard: Shard, keys: readonly string[]): void {
    const filters = this.#shards.get(nameOf(shard));
    if (filters === undefined) return;
    for (const key of keys) {
      const hash = keyHashOf(key);
      filters.current?.add(hash);
      filters.filling?.filter.add(hash);
    }
  }
}

async function fill(db: Db, shard: Shard, filters: ShardFilters): Promise<void> {
  const { filling } = filters;
  if (filling === undefined) return;
  const read = await readSeenKeys(db, shard, filling.position, KEYS_A_ROUND);
  if (read === undefined) {
    filters.current = filling.filter;
    filters.filling = undefined;
    return;
  }
  for (const hash of keyHashesIn(read.hashes)) filling.filter.add(hash);
  filling.position = read.position;
}

function nameOf({ crawlId, shard }: Shard): string {
  return `${String(crawlId)} ${String(shard)}`;
}
