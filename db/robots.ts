import type { ValidatorsOfUrl } from '../domain/validators.ts';
import type { HostKey } from '../domain/host-key.ts';
import type { RobotsAccess } from '../domain/robots-access.ts';
import { ROBOTS_STALE_MS } from '../domain/robots-lifetime.ts';
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
        readonly validators: ValidatorsOfUrl | null;
      }
    | {
        /** A 304: the file of this version is as good as fetched now. */
        readonly kind: 'unchanged';
        readonly version: number;
        readonly ttlMs: number;
      }
    | { readonly kind: 'redirected'; readonly status: number; readonly to: string }
    | { readonly kind: 'unreachable'; readonly status: number | null; readonly pauseMs: number };
}

// Indexes: robots_host_id_origin_key, host_pkey. The version rises only with a new file, so that processes keep their
// parsed copy. A host is owed the longest delay that any of its origins asks for.
const WRITE_ANSWER = `
  with written as (
    insert into robots (host_id, origin, access, status, body, crawl_delay_ms, validators, version, fetched_at, expires_at)
    values ($1, $2, $3, $4, $5, $7, $8, 1, clock_timestamp(), clock_timestamp() + $6 * interval '1 millisecond')
    on conflict (host_id, origin) do update
       set access = excluded.access,
           status = excluded.status,
           body = excluded.body,
           crawl_delay_ms = excluded.crawl_delay_ms,
           validators = excluded.validators,
           version = robots.version + 1,
           fetched_at = excluded.fetched_at,
           expires_at = excluded.expires_at,
           retry_at = null,
           unreachable_since = null,
           tries = 0,
           hop_url = null,
           hops = 0
  ), delay as (
    select greatest($7::integer, max(crawl_delay_ms)) as ms
      from robots
     where host_id = $1
       and origin <> $2
       and access = 'rules'
  ), told as (
    update host
       set crawl_delay_ms = delay.ms
      from delay
     where host_id = $1
       and crawl_delay_ms <> delay.ms
  )
  select ms as "crawlDelayMs"
    from delay`;

// Index: robots_host_id_origin_key. Of another version, which somebody else has read meanwhile, the 304 says nothing.
const WRITE_UNCHANGED = `
  update robots
     set fetched_at = clock_timestamp(),
         expires_at = clock_timestamp() + $4 * interval '1 millisecond',
         retry_at = null,
         unreachable_since = null,
         tries = 0,
         hop_url = null,
         hops = 0
   where host_id = $1
     and origin = $2
     and version = $3
     and access = 'rules'`;

// Index: robots_host_id_origin_key.
const WRITE_HOP = `
  insert into robots (host_id, origin, hop_url, hops)
  values ($1, $2, $3, 1)
  on conflict (host_id, origin) do update
     set hop_url = excluded.hop_url,
         hops = robots.hops + 1`;

// Index: robots_host_id_origin_key. A file that was read stays in force until it is too old ($5), and is asked for again
// with the same pauses. A trouble that nobody has looked at for a day counts from now on.
const WRITE_UNREACHABLE = `
  insert into robots as r (host_id, origin, access, status, retry_at, unreachable_since, tries)
  values ($1, $2, 'unreachable', $3, clock_timestamp() + $4 * interval '1 millisecond', clock_timestamp(), 1)
  on conflict (host_id, origin) do update
     set (access, status, retry_at, expires_at) = (
           select case when old.stays then r.access else 'unreachable' end,
                  case when old.stays then r.status else excluded.status end,
                  case when not old.stays then excluded.retry_at end,
                  case when old.stays then least(excluded.retry_at, old.until_at) end
             from (select coalesce(r.access = 'rules' and until_at > clock_timestamp(), false) as stays, until_at
                     from (select r.fetched_at + $5 * interval '1 millisecond' as until_at) u) old
         ),
         (unreachable_since, tries) = (
           select case when is_new then excluded.unreachable_since else r.unreachable_since end,
                  case when is_new then 1 else r.tries + 1 end
             from (select r.unreachable_since is null
                       or coalesce(r.retry_at, r.expires_at) < clock_timestamp() - interval '1 day' as is_new) n
         ),
         hop_url = null,
         hops = 0`;

/**
 * Writes what one request for a robots.txt brought (R16).
 *
 * @returns the longest delay that the files of the host ask for, in milliseconds; `undefined` where none was read.
 */
export async function writeRobots(
  db: Db,
  { hostId, origin, read }: RobotsUpdate,
): Promise<number | undefined> {
  switch (read.kind) {
    case 'answered': {
      const { access, status, body, ttlMs, crawlDelayMs, validators } = read;
      const values = [
        hostId,
        origin,
        access,
        status,
        Buffer.from(body),
        ttlMs,
        crawlDelayMs,
        validators,
      ];
      const { rows } = await db.query<{ crawlDelayMs: number }>({
        name: 'write_robots',
        text: WRITE_ANSWER,
        values,
      });
      return rows[0]?.crawlDelayMs;
    }
    case 'unchanged':
      await db.query({
        name: 'write_robots_unchanged',
        text: WRITE_UNCHANGED,
        values: [hostId, origin, read.version, read.ttlMs],
      });
      return undefined;
    case 'redirected':
      await db.query({
        name: 'write_robots_hop',
        text: WRITE_HOP,
        values: [hostId, origin, read.to],
      });
      return undefined;
    case 'unreachable': {
      const values = [hostId, origin, read.status, read.pauseMs, ROBOTS_STALE_MS];
      await db.query({ name: 'write_robots_unreachable', text: WRITE_UNREACHABLE, values });
      return undefined;
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
  /** When it is asked for again, if a page is wanted then. */
  readonly expiresAt: Date | null;
  readonly retryAt: Date | null;
  readonly unreachableSince: Date | null;
  /** In a row without success. */
  readonly tries: number;
  /** A redirect of the file that is still to be followed. */
  readonly hopUrl: string | null;
}

const COLUMNS = `
         origin, access, version, status, body, tries,
         fetched_at as "fetchedAt",
         expires_at as "expiresAt",
         retry_at as "retryAt",
         unreachable_since as "unreachableSince",
         hop_url as "hopUrl"`;

// Index: robots_pkey.
const READ = `
  select ${COLUMNS}
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
  select ${COLUMNS}
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

// Indexes: host_host_key_key, robots_host_id_origin_key.
const OF_ORIGIN = `
  select ${COLUMNS}
    from robots
   where host_id = (select host_id from host where host_key = $1)
     and origin = $2`;

/** The robots.txt of an origin, given with its host's key; `undefined` where it was never asked for. */
export async function robotsOf(
  db: Db,
  hostKey: HostKey,
  origin: string,
): Promise<StoredRobots | undefined> {
  const { rows } = await db.query<StoredRobots>({
    name: 'robots_of_origin',
    text: OF_ORIGIN,
    values: [hostKey, origin],
  });
  return rows[0];
}
