import { tellsOfHost } from '../domain/admission.ts';
import type { HostKey } from '../domain/host-key.ts';
import type { Db, Tx } from './pool.ts';

/** Links that were left out by one rule. */
export interface LeftOutLinks {
  /** On whose page they were, or whose they are where its own limit is the rule; `null` where nobody asks. */
  readonly hostId: number | null;
  readonly reason: string;
  readonly links: number;
}

// Index: left_out_pkey. In one order, since the crawl's shards share the table.
const COUNT = `
  insert into left_out (crawl_id, host_id, reason, links)
  select $1, host_id, reason, sum(links)
    from unnest($2::bigint[], $3::text[], $4::bigint[]) as l (host_id, reason, links)
   group by host_id, reason
   order by host_id, reason
  on conflict (crawl_id, host_id, reason) do update
     set links = left_out.links + excluded.links`;

/**
 * Counts links that were left out, by rule over the whole crawl; what tells of a host, as a trap does, for that host as
 * well (R24). Holds the shard's lock.
 */
export async function countLeftOut(
  tx: Tx,
  crawlId: number,
  leftOut: readonly LeftOutLinks[],
): Promise<void> {
  if (leftOut.length === 0) return;
  const ofHosts = leftOut.filter(({ hostId, reason }) => hostId !== null && tellsOfHost(reason));
  const counts = [...leftOut.map((one) => ({ ...one, hostId: 0 })), ...ofHosts];
  await tx.query({
    name: 'count_left_out',
    text: COUNT,
    values: [
      crawlId,
      counts.map(({ hostId }) => hostId),
      counts.map(({ reason }) => reason),
      counts.map(({ links }) => links),
    ],
  });
}

/** Numbers of links by the rule that left them out. */
export type LeftOutCounts = Readonly<Record<string, number>>;

// Index: left_out_pkey.
const OF_CRAWL = `
  select coalesce(jsonb_object_agg(reason, links), '{}') as "counts"
    from left_out
   where crawl_id = $1
     and host_id = 0`;

/** How many links a crawl has left out, by rule. */
export async function leftOutOf(db: Db, crawlId: number): Promise<LeftOutCounts> {
  const { rows } = await db.query<{ counts: LeftOutCounts }>({
    name: 'left_out_of',
    text: OF_CRAWL,
    values: [crawlId],
  });
  return rows[0]?.counts ?? {};
}

// Indexes: host_host_key_key, left_out_pkey (one look a crawl).
const OF_HOST = `
  select coalesce(jsonb_object_agg(reason, links), '{}') as "counts"
    from (select l.reason, sum(l.links) as links
            from host h
           cross join crawl c
            join left_out l on l.crawl_id = c.crawl_id and l.host_id = h.host_id
           where h.host_key = $1
             and ($2::int is null or c.crawl_id = $2)
           group by l.reason) l`;

/** How many links were left out for what their host is, by rule; of one crawl or of all. */
export async function leftOutOfHost(
  db: Db,
  host: HostKey,
  crawlId: number | null = null,
): Promise<LeftOutCounts> {
  const { rows } = await db.query<{ counts: LeftOutCounts }>({
    name: 'left_out_of_host',
    text: OF_HOST,
    values: [host, crawlId],
  });
  return rows[0]?.counts ?? {};
}
