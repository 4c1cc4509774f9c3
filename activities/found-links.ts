import type { ClaimedUrl } from '../db/claim.ts';
import type { FoundLink } from '../db/settle.ts';
import { linkExclusion, type Found } from '../domain/admission.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import { hostKeyOf, type HostKey } from '../domain/host-key.ts';
import type { ExclusionRule } from '../domain/outcome.ts';
import { asRequestUrl, type RequestUrl } from '../domain/request-url.ts';
import type { Scope } from '../domain/scope.ts';
import { urlKeyOf } from '../domain/url-key.ts';
import type { PageBands } from './page-bands.ts';
import { urlSelectionOf } from '../domain/url-selection.ts';

/** How many links were left out, by the rule that kept them out of the frontier. */
export type LeftOut = Map<ExclusionRule, number>;

/**
 * The links of a page that the crawl may follow, one level deeper, each URL key once.
 *
 * @param leftOut counts those that it may not follow.
 */
export function foundLinks(
  { settings, depth, requestUrl }: ClaimedUrl,
  links: readonly string[],
  bands: PageBands,
  leftOut: LeftOut = new Map(),
): readonly FoundLink[] {
  const entry = { foundOn: requestUrl, depth: depth + 1, hops: 0, bands, leftOut };
  return entering(settings, links.map(toEnter), entry);
}

/** A redirect's target, if the crawl may follow it: the same depth, one hop further. */
export function redirectTarget(
  { settings, depth, hops, requestUrl }: ClaimedUrl,
  target: RequestUrl,
  bands: PageBands,
  leftOut: LeftOut,
): readonly FoundLink[] {
  const entry = { foundOn: requestUrl, depth, hops: hops + 1, bands, leftOut };
  return entering(settings, [{ url: target }], entry);
}

/** Which rule keeps a redirect's target out of the frontier, if any. */
export function redirectExclusion(
  { settings, depth }: ClaimedUrl,
  target: RequestUrl,
): ExclusionRule | undefined {
  return exclusionBy(settings, { depth, nowMs: Date.now() })(target);
}

/**
 * The sitemaps that a robots.txt or an index names: a host may keep its own, and those of others are in scope or not. No
 * include need name them, as they are no pages.
 */
export function sitemapFiles(
  { settings: kept, requestUrl }: ClaimedUrl,
  files: readonly RequestUrl[],
  { depth, foundOn, bands, leftOut }: Named & { readonly depth: number },
): readonly FoundLink[] {
  if (!kept.sitemaps || depth > MAX_SITEMAP_DEPTH) return [];
  const settings = { ...kept, includes: [] };
  const isOwn = ({ url }: Entering): boolean => hostKeyOf(url) === hostKeyOf(requestUrl);
  const urls = files.map((url) => ({ url }));
  const entry = { foundOn, depth, hops: 0, bands, ...(leftOut && { leftOut }) };
  return [
    ...entering({ ...settings, scope: 'any', depthLimit: null }, urls.filter(isOwn), entry),
    ...entering(
      { ...settings, depthLimit: null },
      urls.filter((one) => !isOwn(one)),
      entry,
    ),
  ];
}

/** The pages that a sitemap names, as if a home page linked to them. A host speaks for those in `hosts` only. */
export function sitemapPages(
  { settings }: ClaimedUrl,
  pages: readonly Entering[],
  { hosts, foundOn, bands, leftOut }: Named & { readonly hosts: ReadonlySet<HostKey> },
): readonly FoundLink[] {
  const own = pages.filter(({ url }) => hosts.has(hostKeyOf(url)));
  const entry = { foundOn, depth: 1, hops: 0, bands, ...(leftOut && { leftOut }) };
  return entering(settings, own, entry);
}

/** Indexes of indexes are against the protocol, and written all the same; our choice. */
const MAX_SITEMAP_DEPTH = 3;

/** Who named the URLs, the bands for them, and where those are counted that are left out. */
interface Named {
  readonly foundOn: string;
  readonly bands: PageBands;
  readonly leftOut?: LeftOut;
}

interface Entry extends Named {
  readonly depth: number;
  readonly hops: number;
}

/** A URL on its way, with what its sitemap says of it. */
interface Entering {
  readonly url: RequestUrl;
  readonly priority?: number | undefined;
}

function toEnter(link: string): Entering {
  return { url: asRequestUrl(link) };
}

function entering(
  settings: CrawlSettings,
  urls: readonly Entering[],
  { foundOn, depth, hops, bands, leftOut }: Entry,
): readonly FoundLink[] {
  const exclusionOf = exclusionBy(settings, { depth, nowMs: Date.now() });
  const byKey = new Map<string, FoundLink>();
  for (const { url, priority } of urls) {
    const rule = exclusionOf(url);
    if (rule !== undefined) {
      leftOut?.set(rule, (leftOut.get(rule) ?? 0) + 1);
      continue;
    }
    const key = urlKeyOf(url, settings);
    if (byKey.has(key)) continue;
    const band = bands.bandOf({ url, depth, foundOn, sitemapPriority: priority });
    byKey.set(key, {
      ...{ url, key, host: hostKeyOf(url), depth, hops, band },
      ...(priority === undefined ? {} : { sitemapPriority: priority }),
      ...(settings.rebands === 0 ? {} : { rebands: settings.rebands }),
    });
  }
  return [...byKey.values()];
}

/** The rule for one link after another: the scope's roots and the crawl's own rules are made ready once. */
function exclusionBy(
  settings: CrawlSettings,
  found: Found,
): (url: RequestUrl) => ExclusionRule | undefined {
  const rules = { ...settings, scope: scopeOf(settings), selection: urlSelectionOf(settings) };
  return (url) => linkExclusion(url, found, rules);
}

function scopeOf({ scope, scopeRoots }: CrawlSettings): Scope {
  return { kind: scope, roots: new Set(scopeRoots) };
}
