import type { RobotsAccess } from '../domain/robots-access.ts';
import type { Db } from './pool.ts';

/** What a robots.txt is known to say after one request for it; durations count from now. */
export interface RobotsUpdate {
  readonly hostId: number;
  readonly origin: string;
  readonly read:
    | {
        readonly kind: 'answered';
        readonly access: 'rules' | 'allowAll';
        readonly status: number;
        /** The file's bytes; empty for `allowAll`. */
        readonly body: Uint8Array;
        readonly ttlMs: number;
        readonly crawlDelayMs: number;
      }
    | { readonly kind: 'redirected'; readonly status: number; readonly to: string }
    | { readonly kind: 'unreachable'; readonly status: number | null; readonly pauseMs: number };
}

// Index: robots_host_id_origin_key. The version rises only with a new file, so that processes keep their parsed copy.
const WRITE_ANSWER = `
  with delay as (
    update host
       set crawl_delay_ms = $7
     where host_id = $1
       and crawl_delay_ms <> $7
  )
  insert into robots (host_id, origin, access, status, body, version, fetched_at, expires_at)
  values ($1, $2, $3, $4, $5, 1, clock_timestamp(), clock_timestamp() + $6 * interval '1 millisecond')
  on conflict (host_id, origin) do update
     set access = excluded.access,
         status = excluded.status,
         body = excluded.body,
         version = robots.version + 1,
         fetched_at = excluded.fetched_at,
         expires_at = excluded.expires_at,
         retry_at = null,
         unreachable_since = null,
         tries = 0,
         hop_url = null,
         hops = 0
  returning robots_id as "robotsId", version`;

// Index: robots_host_id_origin_key.
const WRITE_HOP = `
  insert into robots (host_id, origin, hop_url, hops)
  values ($1, $2, $3, 1)
  on conflict (host_id, origin) do update
     set hop_url = excluded.hop_url,
         hops = robots.hops + 1`;

// Index: robots_host_id_origin_key. A file that was read less than its lifetime ago stays in force; the claim asks
// again only once it has run out, and then nothing is allowed until it can be read.
const WRITE_UNREACHABLE = `
  insert into robots (host_id, origin, access, status, retry_at, unreachable_since, tries)
  values ($1, $2, 'unreachable', $3, clock_timestamp() + $4 * interval '1 millisecond', clock_timestamp(), 1)
  on conflict (host_id, origin) do update
     set access = 'unreachable',
         status = excluded.status,
         retry_at = excluded.retry_at,
         expires_at = null,
         unreachable_since = coalesce(robots.unreachable_since, excluded.unreachable_since),
         tries = robots.tries + 1,
         hop_url = null,
         hops = 0`;

/** Writes what one request for a robots.txt brought (R16). */
export async function writeRobots(db: Db, { hostId, origin, read }: RobotsUpdate): Promise<void> {
  switch (read.kind) {
    case 'answered': {
      const { access, status, body, ttlMs, crawlDelayMs } = read;
      const values = [hostId, origin, access, status, Buffer.from(body), ttlMs, crawlDelayMs];
      await db.query({ name: 'write_robots', text: WRITE_ANSWER, values });
      return;
    }
    case 'redirected':
      await db.query({
        name: 'write_robots_hop',
        text: WRITE_HOP,
        values: [hostId, origin, read.to],
      });
      return;
    case 'unreachable': {
      const values = [hostId, origin, read.status, read.pauseMs];
      await db.query({ name: 'write_robots_unreachable', text: WRITE_UNREACHABLE, values });
    }
  }
}

/** A stored robots.txt; `access` is `null` where it was never read. */
export interface StoredRobots {
  readonly origin: string;
  readonly access: RobotsAccess | null;
  readonly version: number;
  readonly status: number | null;
  readonly body: Buffer | null;
  readonly fetchedAt: Date | null;
  readonly retryAt: Date | null;
  readonly unreachableSince: Date | null;
}

// Index: robots_pkey.
const READ = `
  select origin, access, version, status, body,
         fetched_at as "fetchedAt",
         retry_at as "retryAt",
         unreachable_since as "unreachableSince"
    from robots
   where robots_id = $1`;

/** The stored file, for a process that has no parsed copy of this version. */
export async function readRobots(db: Db, robotsId: number): Promise<StoredRobots | undefined> {
  const { rows } = await db.query<StoredRobots>({
    name: 'read_robots',
    text: READ,
    values: [robotsId],
  });
  return rows[0];
}

// Index: robots_host_id_origin_key.
const OF_HOST = `
  select origin, access, version, status, body,
         fetched_at as "fetchedAt",
         retry_at as "retryAt",
         unreachable_since as "unreachableSince"
    from robots
   where host_id = $1
   order by origin`;

/** Every robots.txt known of a host, one an origin. */
export async function robotsOfHost(db: Db, hostId: number): Promise<readonly StoredRobots[]> {
  const { rows } = await db.query<StoredRobots>({
    name: 'robots_of_host',
    text: OF_HOST,
    values: [hostId],
  });
  return rows;
}
