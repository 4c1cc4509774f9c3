import { extraResources } from './web-extras.ts';
import type { HostSpec } from './web-hosts.ts';
import { seededRandom } from './web-random.ts';
import type { Place, Resource } from './web-resources.ts';

/** One host's pages and rules, fixed by its `HostSpec` and the seed. */
export interface Site {
  readonly spec: HostSpec;
  readonly resources: ReadonlyMap<string, Resource>;
  /** The sitemap that robots.txt names. */
  readonly sitemap: Place | undefined;
  /** Whether robots.txt keeps crawlers from this path. */
  readonly disallows: (path: string) => boolean;
}

/** Where a `robotsRedirect` host's rules lie, on the host that it points to; every host has this file. */
export const SHARED_ROBOTS_PATH = '/shared-robots.txt';

/** Whether a path holds robots rules, its own host's or another's: such a request needs no leave of robots.txt. */
export function isRobotsPath(path: string): boolean {
  return path === '/robots.txt' || path === SHARED_ROBOTS_PATH;
}

/** The sites of all hosts, by name. Each page links to others such that all are reachable from its host's `/`. */
export function planSites(specs: readonly HostSpec[], seed: number): ReadonlyMap<string, Site> {
  const specOf = new Map(specs.map((spec) => [spec.name, spec]));
  return new Map(specs.map((spec) => [spec.name, planSite(spec, specOf, seed)]));
}

const ROBOTS_KINDS: ReadonlySet<string> = new Set([
  'robots',
  'robotsRecovers',
  'robotsRedirect',
  'sitemaps',
]);

function planSite(spec: HostSpec, specOf: ReadonlyMap<string, HostSpec>, seed: number): Site {
  const extras = extraResources(spec);
  const resources = new Map<string, Resource>();

  for (let index = 0; index < spec.pages; index += 1) {
    const links = [...linksWithin(spec, index, seed), ...linksAcross(spec, index, specOf)];
    resources.set(pagePath(index), { kind: 'page', links, markup: 'clean' });
  }
  const home = [...linksOf(resources.get('/')), ...extras.linkedFromHome.map(on(spec.name))];
  resources.set('/', { kind: 'page', links: home, markup: 'clean' });
  for (const [path, resource] of extras.resources) resources.set(path, resource);

  const hasRules = ROBOTS_KINDS.has(spec.kind);
  return {
    spec,
    resources,
    sitemap: extras.sitemap === undefined ? undefined : on(spec.name)(extras.sitemap),
    disallows: (path) => hasRules && path.startsWith('/private/') && path !== '/private/open',
  };
}

/**
 * A binary tree below `/`, so that eight pages already have one at depth three; a link up, and one to a random page
 * that is no deeper, so that neither shortens a way.
 */
function linksWithin(spec: HostSpec, index: number, seed: number): readonly Place[] {
  const random = seededRandom(`${seed} ${spec.name} links ${index}`);
  const children = [2 * index + 1, 2 * index + 2].filter((child) => child < spec.pages);
  const indexes = index === 0 ? children : [...children, 0, Math.floor(random() * (index + 1))];

  return [...new Set(indexes)].map((target) => ({ host: spec.name, path: pagePath(target) }));
}

function linksAcross(
  spec: HostSpec,
  index: number,
  specOf: ReadonlyMap<string, HostSpec>,
): readonly Place[] {
  const hosts = spec.linksTo ?? [];
  if (index === 0) return hosts.map((host) => ({ host, path: '/' }));

  const host = hosts[index % Math.max(1, hosts.length)];
  if (host === undefined) return [];
  return [{ host, path: pagePath(index % (specOf.get(host)?.pages ?? 1)) }];
}

function linksOf(resource: Resource | undefined): readonly Place[] {
  return resource?.kind === 'page' ? resource.links : [];
}

function on(host: string): (path: string) => Place {
  return (path) => ({ host, path });
}

function pagePath(index: number): string {
  return index === 0 ? '/' : `/p/${index}`;
}
