import { asRequestUrl } from '../domain/request-url.ts';
import { selectionExclusion, urlSelectionOf } from '../domain/url-selection.ts';
import type { HostIds } from './host-ids.ts';
import type { LeftOutLinks } from './left-out.ts';
import type { Tx } from './pool.ts';
import type { FoundLink } from './settle.ts';

/** Links that may enter the frontier, and those that are left out. */
export interface Admissible<T> {
  readonly links: readonly T[];
  readonly leftOut: readonly LeftOutLinks[];
}

/** What a crawl's settings of now say about links that ask to be admitted. */
export interface AdmissionLimits {
  readonly excludes: readonly string[];
  /** The most URLs of one host that may be queued. */
  readonly hostQueue: number | null;
}

// Index: crawl_pkey.
const READ = `
  select coalesce(settings -> 'excludes', '[]') as "excludes",
         (settings ->> 'hostQueue')::bigint as "hostQueue"
    from crawl
   where crawl_id = $1`;

/** The settings that an admit goes by. */
export async function admissionLimitsOf(tx: Tx, crawlId: number): Promise<AdmissionLimits> {
  const { rows } = await tx.query<AdmissionLimits>({
    name: 'admission_limits',
    text: READ,
    values: [crawlId],
  });
  return rows[0] ?? { excludes: [], hostQueue: null };
}

/** Those links that the crawl's rules of now take: when they were found the rules may have been others. */
export function notExcluded<T extends FoundLink>(
  links: readonly T[],
  { excludes }: AdmissionLimits,
): Admissible<T> {
  if (excludes.length === 0) return { links, leftOut: [] };
  const selection = urlSelectionOf({ excludes });
  const leftOut: LeftOutLinks[] = [];
  const taken = links.filter(({ url, depth }) => {
    const reason = selectionExclusion(asRequestUrl(url), depth, selection);
    if (reason !== undefined) leftOut.push({ hostId: null, reason, links: 1 });
    return reason === undefined;
  });
  return { links: taken, leftOut };
}

// Index: ready_pkey (a row a band).
const QUEUED = `
  select host_id as "hostId", sum(urls)::bigint as "urls"
    from ready
   where crawl_id = $1
     and host_id = any ($2::bigint[])
   group by host_id`;

// Index: url_pkey, the URL-seen test.
const SEEN = `
  select l.key
    from unnest($2::bigint[], $3::text[]) as l (host_id, key)
   where exists (
     select
       from url u
      where u.host_id = l.host_id
        and u.crawl_id = $1
        and u.key_hash = md5(l.key)::uuid)`;

/**
 * Those links that find room in their host's queue, the most urgent first, then in their order (R24). Only hosts with
 * more links than room are looked at further. Holds the shard's lock.
 */
export async function withinHostQueues<T extends FoundLink>(
  tx: Tx,
  crawlId: number,
  links: readonly T[],
  { hostQueue, hostIds }: AdmissionLimits & { readonly hostIds: HostIds },
): Promise<Admissible<T>> {
  if (hostQueue === null || links.length === 0) return { links, leftOut: [] };
  const byHost = groupedByHost(links, hostIds);
  const queued = await queuedOf(tx, crawlId, [...byHost.keys()]);
  const roomOf = (hostId: number): number => Math.max(hostQueue - (queued.get(hostId) ?? 0), 0);
  const full = [...byHost].filter(([hostId, own]) => own.length > roomOf(hostId));
  const seen = await seenOf(tx, crawlId, full);
  const leftOut: LeftOutLinks[] = [];
  const gone = new Set<T>();
  for (const [hostId, own] of full) {
    const fresh = own.filter(({ key }) => !seen.has(key)).toSorted((a, b) => a.band - b.band);
    const over = fresh.slice(roomOf(hostId));
    for (const link of over) gone.add(link);
    if (over.length > 0) leftOut.push({ hostId, reason: 'hostQueue', links: over.length });
  }
  return { links: links.filter((link) => !gone.has(link)), leftOut };
}

async function queuedOf(
  tx: Tx,
  crawlId: number,
  hostIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await tx.query<{ hostId: number; urls: number }>({
    name: 'queued_of_hosts',
    text: QUEUED,
    values: [crawlId, hostIds],
  });
  return new Map(rows.map(({ hostId, urls }) => [hostId, urls]));
}

async function seenOf(
  tx: Tx,
  crawlId: number,
  hosts: readonly (readonly [number, readonly FoundLink[]])[],
): Promise<ReadonlySet<string>> {
  if (hosts.length === 0) return new Set();
  const asked = hosts.flatMap(([hostId, links]) => links.map(({ key }) => ({ hostId, key })));
  const { rows } = await tx.query<{ key: string }>({
    name: 'seen_of_full_hosts',
    text: SEEN,
    values: [crawlId, asked.map(({ hostId }) => hostId), asked.map(({ key }) => key)],
  });
  return new Set(rows.map(({ key }) => key));
}

function groupedByHost<T extends FoundLink>(
  links: readonly T[],
  hostIds: HostIds,
): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const link of links) {
    const hostId = hostIds.get(link.host) ?? 0;
    const group = groups.get(hostId);
    if (group === undefined) groups.set(hostId, [link]);
    else group.push(link);
  }
  return groups;
}
