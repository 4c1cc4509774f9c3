import type { ClaimedRequest, ClaimedUrl } from '../db/claim.ts';
import { addFound } from '../db/outbox.ts';
import type { FoundLink } from '../db/settle.ts';
import { hostKeyOf } from '../domain/host-key.ts';
import { asRequestUrl, parseRequestUrl } from '../domain/request-url.ts';
import type { RobotsRules } from '../domain/robots.ts';
import type { Sitemap } from '../web/read-sitemap.ts';
import type { ActivityDeps } from './deps.ts';
import { sitemapFiles, sitemapPages, type LeftOut } from './found-links.ts';
import { pageBands, tellFaults, type PageBands } from './page-bands.ts';

/** The crawls that were told of a file's sitemaps by this process; told again after a restart, the seen test knows. */
const toldCrawls = new WeakMap<RobotsRules, Set<number>>();

/** Gives the sitemaps that a robots.txt names to the crawl, once a version of the file and process. */
export async function tellSitemaps(
  deps: ActivityDeps,
  { url, robots }: ClaimedRequest,
  rules: RobotsRules,
): Promise<void> {
  const told = toldCrawls.get(rules) ?? new Set();
  if (rules.sitemaps.length === 0 || told.has(url.crawlId)) return;
  const foundOn = `${robots.origin}/robots.txt`;
  const named = rules.sitemaps.flatMap((written) => parseRequestUrl(written, foundOn) ?? []);
  const files = named.filter((file) => file !== foundOn);
  const bands = await pageBands(deps, url.settings);
  const leftOut: LeftOut = new Map();
  const links = sitemapFiles(url, files, { depth: 0, foundOn, bands, leftOut });
  await addFound(
    deps.db,
    { ...url, foundOn, leftOut: Object.fromEntries(leftOut) },
    deps.seenCache.notSeen(url.crawlId, links),
  );
  await tellFaults(deps, url.crawlId, bands);
  toldCrawls.set(rules, told.add(url.crawlId));
}

/** Whether a robots.txt, or an index that one names, calls this URL a sitemap. */
export function isNamedSitemap({ foundOn }: ClaimedUrl): boolean {
  return foundOn !== null && /^https?:\/\/[^/?#]+\/robots\.txt$/u.test(foundOn);
}

/**
 * Gives what a sitemap names to the crawl: pages of its own host and of the one whose robots.txt names it, or further
 * sitemaps. Before the sitemap itself is settled, so that a kill loses none of them.
 *
 * @returns how many were within the crawl's rules.
 */
export async function tellEntries(
  { db, seenCache }: ActivityDeps,
  url: ClaimedUrl,
  { kind, entries }: Sitemap,
  bands: PageBands,
): Promise<number> {
  const speaksFor = new Set([hostKeyOf(url.requestUrl)]);
  const namedBy = isNamedSitemap(url) ? url.foundOn : null;
  if (namedBy !== null) speaksFor.add(hostKeyOf(asRequestUrl(namedBy)));
  // Those of an index are sitemaps by the word of the same robots.txt.
  const foundOn = kind === 'index' && namedBy !== null ? namedBy : url.requestUrl;
  const leftOut: LeftOut = new Map();
  const links: readonly FoundLink[] =
    kind === 'index'
      ? sitemapFiles(
          url,
          entries.map((entry) => entry.url),
          { depth: url.depth + 1, foundOn, bands, leftOut },
        )
      : sitemapPages(url, entries, { hosts: speaksFor, foundOn, bands, leftOut });
  await addFound(
    db,
    { ...url, foundOn, leftOut: Object.fromEntries(leftOut) },
    seenCache.notSeen(url.crawlId, links),
  );
  return links.length;
}
