import { DEFAULT_SETTINGS } from '../domain/crawl-settings.ts';
import type { Shortage } from '../domain/shortage.ts';
import type { Db } from './pool.ts';

/** A shortage that nobody has seen for so long was a killed worker's, in milliseconds; our choice. */
const LASTS_MS = 30_000;

// Scans crawl: a row a crawl, once a second a worker.
const WANTED = `
  select coalesce(max(coalesce((settings ->> 'minFreeBytes')::bigint, $1)), 0)::bigint as "wantedBytes"
    from crawl
   where state = 'running'`;

/** The most that a running crawl wants to be free, in bytes: crawls share the disk. 0 where none runs. */
export async function wantedFreeBytes(db: Db): Promise<number> {
  const { rows } = await db.query<{ wantedBytes: number }>({
    name: 'wanted_free_bytes',
    text: WANTED,
    values: [DEFAULT_SETTINGS.minFreeBytes],
  });
  return rows[0]?.wantedBytes ?? 0;
}

// Index: shortage_pkey.
const ANNOUNCE = `
  insert into shortage as s (place, free_bytes, wanted_bytes, refusal)
  values ($1, $2, $3, $4)
  on conflict (place) do update
     set free_bytes = excluded.free_bytes,
         wanted_bytes = excluded.wanted_bytes,
         refusal = excluded.refusal,
         since = case when s.seen_at < now() - $5 * interval '1 millisecond' then now() else s.since end,
         seen_at = now()`;

/** Says that a place has no room, or that it still has none. */
export async function announceShortage(db: Db, shortage: Omit<Shortage, 'since'>): Promise<void> {
  const { place, freeBytes, wantedBytes, refusal } = shortage;
  await db.query({
    name: 'announce_shortage',
    text: ANNOUNCE,
    values: [place, freeBytes, wantedBytes, refusal, LASTS_MS],
  });
}

// Index: shortage_pkey.
const END = `
  delete from shortage
   where place = $1`;

/** Says that a place has room again. */
export async function endShortage(db: Db, place: string): Promise<void> {
  await db.query({ name: 'end_shortage', text: END, values: [place] });
}

// Scans shortage: a row a folder without room.
const NOW = `
  select place,
         free_bytes as "freeBytes",
         wanted_bytes as "wantedBytes",
         refusal,
         since
    from shortage
   where seen_at >= now() - $1 * interval '1 millisecond'
   order by place`;

/** The places that have no room now. */
export async function shortagesNow(db: Db): Promise<readonly Shortage[]> {
  const { rows } = await db.query<Shortage>({
    name: 'shortages_now',
    text: NOW,
    values: [LASTS_MS],
  });
  return rows;
}
