import type { ScopeKind } from './crawl-settings.ts';
import { hostKeyOf, registrableDomainOf } from './host-key.ts';
import type { RequestUrl } from './request-url.ts';

/** How far a crawl follows links (R23), in the form in which one link after another is tested. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly roots: ReadonlySet<string>;
}

/**
 * The roots that one crawl may have. They are kept with its settings, which every claim reads; our choice.
 */
export const MOST_ROOTS = 10_000;

/**
 * What a scope is measured against, from the seeds: their hosts, registrable domains or URL prefixes, each once.
 * Nothing for `any`.
 */
export function scopeRootsOf(kind: ScopeKind, seeds: readonly RequestUrl[]): string[] {
  return [...new Set(seeds.flatMap((seed) => rootOf(kind, seed) ?? []))];
}

/**
 * Whether a crawl may follow a link to this URL. A leading `www.` makes no difference to `host`, nor the choice of
 * http or https to any kind: sites redirect from one to the other.
 *
 * The cost depends on the URL alone, not on the number of roots.
 */
export function isInScope(url: RequestUrl, { kind, roots }: Scope): boolean {
  switch (kind) {
    case 'any':
      return true;
    case 'host':
    case 'domain':
      return roots.has(rootOf(kind, url) ?? '');
    case 'prefix':
      return ancestorsOf(url).some((prefix) => roots.has(prefix) || roots.has(otherScheme(prefix)));
  }
}

function rootOf(kind: ScopeKind, url: RequestUrl): string | undefined {
  switch (kind) {
    case 'any':
      return undefined;
    case 'host':
      return withoutWww(hostKeyOf(url));
    case 'domain':
      return registrableDomainOf(hostKeyOf(url));
    case 'prefix':
      return ancestorsOf(url).at(-1);
  }
}

/** `www.com` is a name of its own. */
function withoutWww(host: string): string {
  return host.replace(/^www\.(?=.*\.)/u, '');
}

/** The URL up to each slash of its path, the shortest first. */
function ancestorsOf(url: RequestUrl): string[] {
  const { origin, pathname } = new URL(url);
  const ancestors: string[] = [];
  for (let at = pathname.indexOf('/'); at >= 0; at = pathname.indexOf('/', at + 1)) {
    ancestors.push(origin + pathname.slice(0, at + 1));
  }
  return ancestors;
}

function otherScheme(prefix: string): string {
  return prefix.startsWith('https:') ? `http:${prefix.slice(6)}` : `https:${prefix.slice(5)}`;
}
