import { KEY_HASH_BYTES } from './key-hash.ts';
import type { Db } from './pool.ts';
import type { Shard } from './shards.ts';

// Indexes: url_pkey, host_crawl_pkey. In the order of the unique key, from where the last call ended.
const READ = `
  with keys as materialized (
    select u.host_id, u.key_hash
      from url u
      join host_crawl hc on hc.host_id = u.host_id
                        and hc.crawl_id = u.crawl_id
     where u.crawl_id = $1
       and hc.shard = $2
       and (u.host_id, u.crawl_id, u.key_hash) > ($3, $1, $4::uuid)
     order by u.host_id, u.key_hash
     limit $5
  )
  select string_agg(uuid_send(key_hash), '' order by host_id, key_hash) as "hashes",
         max(host_id) as "hostId"
    from keys`;

/** The URL up to which the keys were read. */
export interface KeyPosition {
  readonly hostId: number;
  readonly keyHash: string;
}

export const BEFORE_ALL_KEYS: KeyPosition = {
  hostId: 0,
  keyHash: '0'.repeat(2 * KEY_HASH_BYTES),
};

/** Hashes of URL keys, end to end, and the position of the last of them. */
export interface SeenKeys {
  readonly hashes: Buffer;
  readonly position: KeyPosition;
}

/** The next hashes of the URL keys that a shard holds; `undefined` where there are no more. */
export async function readSeenKeys(
  db: Db,
  { crawlId, shard }: Shard,
  after: KeyPosition,
  most: number,
): Promise<SeenKeys | undefined> {
  const { rows } = await db.query<{ hashes: Buffer | null; hostId: number }>({
    name: 'read_seen_keys',
    text: READ,
    values: [crawlId, shard, after.hostId, after.keyHash, most],
  });
  const [row] = rows;
  if (row === undefined || row.hashes === null) return undefined;
  const keyHash = row.hashes.subarray(-KEY_HASH_BYTES).toString('hex');
  return { hashes: row.hashes, position: { hostId: row.hostId, keyHash } };
}

// Indexes: crawl_pkey, shard_pkey.
const TEST_OF = `
  select coalesce(c.settings ->> 'seenTest', 'exact') as "kind",
         s.known
    from crawl c
    join shard s on s.crawl_id = c.crawl_id
   where c.crawl_id = $1
     and s.shard = $2`;

/** By what a shard's URLs are known again, and how many they are; a shard that is gone has none. */
export async function seenTestOf(
  db: Db,
  { crawlId, shard }: Shard,
): Promise<{ readonly kind: string; readonly known: number }> {
  const { rows } = await db.query<{ kind: string; known: number }>({
    name: 'seen_test_of',
    text: TEST_OF,
    values: [crawlId, shard],
  });
  return rows[0] ?? { kind: 'exact', known: 0 };
}
