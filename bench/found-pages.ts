import type { FoundLink } from '../db/settle.ts';
import { shardOf } from '../domain/shard-of.ts';
import { hostOf, urlOf, type BigFrontier } from './big-frontier.ts';

/** What one page's settle would leave in the outbox. */
export interface FoundPage {
  readonly url: string;
  readonly byShard: ReadonlyMap<number, readonly FoundLink[]>;
  readonly links: number;
  /** Links that the frontier does not hold yet. */
  readonly fresh: number;
}

const SEEN_LINKS = 80;
const FRESH_LINKS = 20;

/** Three of four links stay on the page's host; our choice, as hosts differ widely. */
const OWN_SHARE = 0.75;

/** One in a hundred new URLs is the first of a host that nobody has heard of. */
const NEW_HOST_SHARE = 0.01;

/**
 * Pages drawn from all URLs alike, each with a hundred links, four of five to URLs that the frontier holds. Which of
 * those is drawn from all URLs alike too: real pages repeat the same few, which a cache would answer.
 */
export function foundPages(frontier: BigFrontier, pages: number, round: number): FoundPage[] {
  const { urlsOf, size } = frontier;
  const draw = drawerOf(urlsOf);
  let newHosts = 0;
  return Array.from({ length: pages }, () => {
    const page = draw();
    const links = new Map<string, FoundLink>();
    const before = (urlsOf[page.n] ?? 0) >> 1;
    for (let tries = 0; links.size < SEEN_LINKS && tries < 10 * SEEN_LINKS; tries += 1) {
      const isOwn = Math.random() < OWN_SHARE && before > SEEN_LINKS;
      const { n, k } = isOwn ? { n: page.n, k: Math.floor(Math.random() * before) } : draw();
      links.set(urlOf(n, k), linkOf(n, k));
    }
    for (let at = 0; at < FRESH_LINKS; at += 1) {
      if (Math.random() < NEW_HOST_SHARE) {
        newHosts += 1;
        const n = size.hosts + round * pages * FRESH_LINKS + newHosts;
        links.set(urlOf(n, 0), linkOf(n, 0));
        continue;
      }
      const { n } = Math.random() < OWN_SHARE ? page : draw();
      const k = urlsOf[n] ?? 0;
      urlsOf[n] = k + 1;
      links.set(urlOf(n, k), linkOf(n, k));
    }
    const byShard = new Map<number, FoundLink[]>();
    for (const link of links.values()) {
      const shard = shardOf(link.host, size.shards);
      byShard.set(shard, [...(byShard.get(shard) ?? []), link]);
    }
    return { url: urlOf(page.n, page.k), byShard, links: links.size, fresh: FRESH_LINKS };
  });
}

function linkOf(n: number, k: number): FoundLink {
  const url = urlOf(n, k);
  return { url, key: url, host: hostOf(n), depth: 2, hops: 0, band: 1 + (n % 3) };
}

/** Draws a URL, all alike: its host's number and its own. */
function drawerOf(urlsOf: Int32Array): () => { readonly n: number; readonly k: number } {
  const sums = new Float64Array(urlsOf.length);
  for (let n = 1; n < urlsOf.length; n += 1) sums[n] = (sums[n - 1] ?? 0) + (urlsOf[n] ?? 0);
  const total = sums[sums.length - 1] ?? 0;
  return () => {
    const place = Math.random() * total;
    let low = 1;
    let high = urlsOf.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > place) high = middle;
      else low = middle + 1;
    }
    return { n: low, k: Math.floor(place - (sums[low - 1] ?? 0)) };
  };
}
