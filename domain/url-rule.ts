import { globOf, isGlobMatch } from './glob.ts';
import { hostKeyOf, parseHostKey, type HostKey } from './host-key.ts';
import type { RequestUrl } from './request-url.ts';

/** What a URL rule looks at, read from the URL once for many rules. */
export interface UrlFacts {
  readonly url: RequestUrl;
  readonly scheme: string;
  readonly host: HostKey;
  readonly path: string;
  /** With its `?`; empty where there is none. */
  readonly query: string;
  /** Links from the nearest seed; absent where a rule is asked of the URL alone. */
  readonly depth?: number | undefined;
  /** From 0 to 1, as a sitemap says; absent where none does. */
  readonly sitemapPriority?: number | undefined;
}

/** One rule that a URL meets or not, as a person wrote it. */
export interface UrlRule {
  readonly text: string;
  readonly kind: 'domain' | 'host' | 'path' | 'scheme' | 'ext' | 'depth' | 'sitemap' | 'url';
  readonly matches: (facts: UrlFacts) => boolean;
}

/** How rules are written, for whoever wrote one otherwise. */
export const URL_RULE_FORMS =
  'domain:example.org, host:www.example.org, path:/blog/*, scheme:https, ext:pdf or https://example.org/*';

/** What rules look at in a URL. */
export function urlFactsOf(url: RequestUrl, depth?: number, sitemapPriority?: number): UrlFacts {
  const { protocol, pathname, search } = new URL(url);
  const scheme = protocol.slice(0, -1);
  const host = hostKeyOf(url);
  return { url, scheme, host, path: pathname, query: search, depth, sitemapPriority };
}

/**
 * Reads a rule; `undefined` where it is none.
 *
 * `domain:` means the host of that name and all below it, `host:` that host alone, `ext:` the end of the path's last
 * segment; each takes a list between commas. `path:` is a pattern for the path, and for path and query where it has a
 * `?`. `depth:3`, `depth:>3`, `>=`, `<` and `<=` count links from the nearest seed. `sitemap:0.8` means what a sitemap
 * gives that priority or a higher one. Whatever begins with `http://`,
 * `https://` or `*` is a pattern for the whole URL. In patterns `*` stands for any characters; the rest counts as it
 * is, upper and lower case told apart but in scheme and host. A rule has no white space.
 */
export function parseUrlRule(text: string): UrlRule | undefined {
  if (/\s/u.test(text)) return undefined;
  const [, kind = '', value = ''] =
    /^(domain|host|path|scheme|ext|depth|sitemap):(.+)$/u.exec(text) ?? [];
  const matches = matcherOf(kind, value, text);
  return matches && { text, kind: kind === '' ? 'url' : (kind as UrlRule['kind']), matches };
}

function matcherOf(kind: string, value: string, text: string): UrlRule['matches'] | undefined {
  switch (kind) {
    case 'domain':
      return ofHosts(value, (host, names) => suffixesOf(host).some((name) => names.has(name)));
    case 'host':
      return ofHosts(value, (host, names) => names.has(host));
    case 'path':
      return value.startsWith('/') || value.startsWith('*') ? ofPath(value) : undefined;
    case 'scheme':
      return /^https?$/iu.test(value) ? ({ scheme }) => scheme === value.toLowerCase() : undefined;
    case 'ext':
      return ofExtensions(value);
    case 'depth':
      return ofDepth(value);
    case 'sitemap':
      return ofSitemap(value);
    default:
      return /^(\*|https?:\/\/.)/iu.test(text) ? ofUrl(text) : undefined;
  }
}

type Matcher = UrlRule['matches'];

function ofHosts(
  list: string,
  isAmong: (host: string, names: ReadonlySet<string>) => boolean,
): Matcher | undefined {
  const written = list.split(',');
  const names = written.flatMap((name) =>
    /[/?#@*]/u.test(name) ? [] : (parseHostKey(name) ?? []),
  );
  const among = new Set<string>(names);
  return names.length === written.length ? ({ host }) => isAmong(host, among) : undefined;
}

/** The host and every domain that it is below. */
function suffixesOf(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}

function ofPath(pattern: string): Matcher {
  const glob = globOf(escaped(pattern));
  return pattern.includes('?')
    ? ({ path, query }) => isGlobMatch(glob, path + query)
    : ({ path }) => isGlobMatch(glob, path);
}

function ofExtensions(list: string): Matcher | undefined {
  const written = list.toLowerCase().split(',');
  const wanted = new Set(written.map((one) => one.replace(/^\./u, '')));
  if (![...wanted].every((one) => /^[^./?*]+$/u.test(one))) return undefined;
  return ({ path }) => wanted.has(extensionOf(path));
}

/** What stands behind the last dot of a path's last segment, in lower case; empty where there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

function ofSitemap(value: string): Matcher | undefined {
  if (!/^(0?\.\d{1,4}|0|1|[01]\.\d{1,4})$/u.test(value) || Number(value) > 1) return undefined;
  const least = Number(value);
  return ({ sitemapPriority }) => sitemapPriority !== undefined && sitemapPriority >= least;
}

function ofDepth(value: string): Matcher | undefined {
  const [, sign = '', digits] = /^(>=|<=|>|<)?(\d{1,4})$/u.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const mark = Number(digits);
  return ({ depth }) => depth !== undefined && compares(depth, sign, mark);
}

function compares(depth: number, sign: string, mark: number): boolean {
  switch (sign) {
    case '>=':
      return depth >= mark;
    case '<=':
      return depth <= mark;
    case '>':
      return depth > mark;
    case '<':
      return depth < mark;
    default:
      return depth === mark;
  }
}

function ofUrl(pattern: string): Matcher {
  const [, scheme = '', host = '', rest = pattern] =
    /^([^/?]*:\/\/)([^/?]*)(.*)$/u.exec(pattern) ?? [];
  // A host alone is written with the slash of its home page.
  const path = scheme !== '' && rest === '' && !host.endsWith('*') ? '/' : escaped(rest);
  const glob = globOf(scheme.toLowerCase() + host.toLowerCase() + path);
  return ({ url }) => isGlobMatch(glob, url);
}

/** What is no ASCII stands in a URL by its bytes in UTF-8. */
function escaped(pattern: string): string {
  return pattern.replace(/[^\0-\x7f]+/gu, encodeURIComponent);
}
