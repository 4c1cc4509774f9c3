import type { ClaimedUrl } from '../db/claim.ts';
import type { FoundLink } from '../db/settle.ts';
import { linkExclusion, type Found } from '../domain/admission.ts';
import { bandRulesOf, chooseBand } from '../domain/band-rules.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import { hostKeyOf, type HostKey } from '../domain/host-key.ts';
import type { ExclusionRule } from '../domain/outcome.ts';
import { asRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import type { Scope } from '../domain/scope.ts';
import { urlKeyOf } from '../domain/url-key.ts';

/** How many links were left out, by the rule that kept them out of the frontier. */
export type LeftOut = Map<ExclusionRule, number>;

/**
 * The links of a page that the crawl may follow, one level deeper, each URL key once.
 *
 * @param leftOut counts those that it may not follow.
 */
export function foundLinks(
  { settings, depth }: ClaimedUrl,
  links: readonly string[],
  leftOut: LeftOut = new Map(),
): readonly FoundLink[] {
  return entering(settings, links.map(asRequestUrl), { depth: depth + 1, hops: 0, leftOut });
}

/** A redirect's target, if the crawl may follow it: the same depth, one hop further. */
export function redirectTarget(
  { settings, depth, hops }: ClaimedUrl,
  target: RequestUrl,
): readonly FoundLink[] {
  return entering(settings, [target], { depth, hops: hops + 1 });
}

/** Which rule keeps a redirect's target out of the frontier, if any. */
export function redirectExclusion(
  { settings, depth }: ClaimedUrl,
  target: RequestUrl,
): ExclusionRule | undefined {
  return exclusionBy(settings, { depth, nowMs: Date.now() })(target);
}

/** The sitemaps that a robots.txt or an index names: a host may keep its own, and those of others are in scope or not. */
export function sitemapFiles(
  { settings, requestUrl }: ClaimedUrl,
  files: readonly RequestUrl[],
  depth: number,
): readonly FoundLink[] {
  if (!settings.sitemaps || depth > MAX_SITEMAP_DEPTH) return [];
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

interface Entry {
  readonly depth: number;
  readonly hops: number;
  readonly leftOut?: LeftOut;
}

function entering(
  settings: CrawlSettings,
  urls: readonly RequestUrl[],
  { depth, hops, leftOut }: Entry,
): readonly FoundLink[] {
  const exclusionOf = exclusionBy(settings, { depth, nowMs: Date.now() });
  const { bands } = settings;
  const bandRules = bandRulesOf(settings.priority);
  const byKey = new Map<string, FoundLink>();
  for (const url of urls) {
    const rule = exclusionOf(url);
    if (rule !== undefined) {
      leftOut?.set(rule, (leftOut.get(rule) ?? 0) + 1);
      continue;
    }
    const key = urlKeyOf(url, settings);
    if (byKey.has(key)) continue;
    const { band } = chooseBand({ url, depth, bands }, bandRules);
    byKey.set(key, { url, key, host: hostKeyOf(url), depth, hops, band });
  }
  return [...byKey.values()];
}

/** The rule for one link after another: the scope's roots are made ready once. */
function exclusionBy(
  settings: CrawlSettings,
  found: Found,
): (url: RequestUrl) => ExclusionRule | undefined {
  const rules = { ...settings, scope: scopeOf(settings) };
  return (url) => linkExclusion(url, found, rules);
}

function scopeOf({ scope, scopeRoots }: CrawlSettings): Scope {
  return { kind: scope, roots: new Set(scopeRoots) };
}
