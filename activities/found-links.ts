import type { ClaimedUrl } from '../db/claim.ts';
import type { FoundLink } from '../db/settle.ts';
import { linkExclusion } from '../domain/admission.ts';
import { bandOf } from '../domain/band.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import { hostKeyOf, type HostKey } from '../domain/host-key.ts';
import { asRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import type { Scope } from '../domain/scope.ts';
import { urlKeyOf } from '../domain/url-key.ts';

/** The links of a page that the crawl may follow, one level deeper, each URL key once. */
export function foundLinks(
  { settings, depth }: ClaimedUrl,
  links: readonly string[],
): readonly FoundLink[] {
  return entering(settings, links.map(asRequestUrl), { depth: depth + 1, hops: 0 });
}

/** A redirect's target, if the crawl may follow it: the same depth, one hop further. */
export function redirectTarget(
  { settings, depth, hops }: ClaimedUrl,
  target: RequestUrl,
): readonly FoundLink[] {
  return entering(settings, [target], { depth, hops: hops + 1 });
}

/** The sitemaps that a robots.txt or an index names: a host may keep its own, and those of others are in scope or not. */
export function sitemapFiles(
  { settings, requestUrl }: ClaimedUrl,
  files: readonly RequestUrl[],
  depth: number,
): readonly FoundLink[] {
  if (depth > MAX_SITEMAP_DEPTH) return [];
  const own = files.filter((file) => hostKeyOf(file) === hostKeyOf(requestUrl));
  const others = files.filter((file) => hostKeyOf(file) !== hostKeyOf(requestUrl));
  return [
    ...entering({ ...settings, scope: 'any', depthLimit: null }, own, { depth, hops: 0 }),
    ...entering({ ...settings, depthLimit: null }, others, { depth, hops: 0 }),
  ];
}

/** The pages that a sitemap names, as if a home page linked to them. A host speaks for those in `hosts` only. */
export function sitemapPages(
  { settings }: ClaimedUrl,
  pages: readonly RequestUrl[],
  hosts: ReadonlySet<HostKey>,
): readonly FoundLink[] {
  const own = pages.filter((page) => hosts.has(hostKeyOf(page)));
  return entering(settings, own, { depth: 1, hops: 0 });
}

/** Indexes of indexes are against the protocol, and written all the same; our choice. */
const MAX_SITEMAP_DEPTH = 3;

function entering(
  settings: CrawlSettings,
  urls: readonly RequestUrl[],
  { depth, hops }: { readonly depth: number; readonly hops: number },
): readonly FoundLink[] {
  const { maxUrlLength, depthLimit, bands } = settings;
  const rules = { maxUrlLength, depthLimit, scope: scopeOf(settings) };
  const byKey = new Map<string, FoundLink>();
  for (const url of urls) {
    if (linkExclusion(url, depth, rules) !== undefined) continue;
    const key = urlKeyOf(url);
    if (byKey.has(key)) continue;
    byKey.set(key, {
      url,
      key,
      host: hostKeyOf(url),
      depth,
      hops,
      band: bandOf({ url, depth, bands }),
    });
  }
  return [...byKey.values()];
}

function scopeOf({ scope, scopeRoots }: CrawlSettings): Scope {
  return { kind: scope, roots: new Set(scopeRoots) };
}
