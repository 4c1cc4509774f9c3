import type { Place, Resource } from './web-resources.ts';
import type { Site } from './web-site.ts';

/** Where a crawl starts and how far it may go. */
export interface Reach {
  readonly seeds: readonly Place[];
  /** True: no further than the hosts of the seeds (scope `host`). */
  readonly seedHostsOnly: boolean;
  /** Most links from a seed; redirects don't count. */
  readonly depthLimit: number;
}

/**
 * The pages and sitemaps that a polite crawl ends up with: those with a 200 answer, found through links and redirects (at most five
 * in a chain), without what robots.txt keeps back and without hosts that can't be asked. A host's sitemap counts as linked
 * from the first of its pages.
 */
export function reachablePlaces(sites: ReadonlyMap<string, Site>, reach: Reach): readonly Place[] {
  const seedHosts = new Set(reach.seeds.map(({ host }) => host));
  const inScope = ({ host }: Place) => !reach.seedHostsOnly || seedHosts.has(host);
  const seen = new Set<string>();
  const told = new Set<string>();
  const found: Place[] = [];
  let frontier = reach.seeds;

  for (let depth = 0; frontier.length > 0 && depth <= reach.depthLimit; depth += 1) {
    const next: Place[] = [];
    for (const place of frontier) {
      const page = follow(sites, place, seen, inScope);
      next.push(...untoldSitemaps(sites, seen, told));
      if (page === undefined) continue;
      found.push(page.place);
      next.push(...page.links);
    }
    frontier = next;
  }
  return found;
}

/** Sitemaps of hosts that something was asked of meanwhile. */
function untoldSitemaps(
  sites: ReadonlyMap<string, Site>,
  seen: ReadonlySet<string>,
  told: Set<string>,
): readonly Place[] {
  return [...sites.values()].flatMap(({ spec, sitemap }) => {
    if (sitemap === undefined || told.has(spec.name) || !seen.has(`${spec.name}/`)) return [];
    told.add(spec.name);
    return [sitemap];
  });
}

const MOST_REDIRECTS = 5;

interface FoundPage {
  readonly place: Place;
  readonly links: readonly Place[];
}

function follow(
  sites: ReadonlyMap<string, Site>,
  start: Place,
  seen: Set<string>,
  inScope: (place: Place) => boolean,
): FoundPage | undefined {
  let place = start;
  let previousKey: string | undefined;

  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const key = keyOf(place);
    if (key !== previousKey && seen.has(key)) return undefined;
    seen.add(key);

    const resource = inScope(place) ? allowedResource(sites, place) : undefined;
    if (resource?.kind === 'page' || resource?.kind === 'sitemap')
      return { place, links: resource.links };
    if (resource?.kind !== 'redirect') return undefined;
    previousKey = key;
    place = resource.to;
  }
  return undefined;
}

const NEVER_FETCHED: ReadonlySet<string> = new Set(['refused', 'nxdomain', 'robots503']);

function allowedResource(sites: ReadonlyMap<string, Site>, place: Place): Resource | undefined {
  const site = sites.get(place.host);
  if (site === undefined || site.spec.dnsFault !== undefined) return undefined;
  if (NEVER_FETCHED.has(site.spec.kind)) return undefined;
  return site.disallows(place.path) ? undefined : site.resources.get(place.path);
}

/** The URL key as far as the test web needs one: no tracking parameters (R21). */
function keyOf({ host, path }: Place): string {
  return host + path.replace(/\?utm_[^&]*$/, '');
}
