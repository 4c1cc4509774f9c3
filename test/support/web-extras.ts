import type { HostSpec } from './web-hosts.ts';
import type {
  MalformedForm,
  Markup,
  Place,
  RedirectStatus,
  Resource,
  SitemapForm,
} from './web-resources.ts';

/** What a host of a misbehaving kind has besides its good pages. */
export interface Extras {
  readonly resources: ReadonlyMap<string, Resource>;
  /** The paths among them that `/` links to. */
  readonly linkedFromHome: readonly string[];
  /** The path of the sitemap that robots.txt names. */
  readonly sitemap?: string;
}

/** The further paths of a host's kind; none for a kind whose misbehaviour lies elsewhere. */
export function extraResources(spec: HostSpec): Extras {
  switch (spec.kind) {
    case 'robots':
    case 'robotsRecovers':
    case 'robotsRedirect':
      return privatePages(spec);
    case 'redirects':
      return redirects(spec);
    case 'hanging':
      return allLinked([['/hang', { kind: 'hang' }]]);
    case 'broken':
      return broken(spec);
    case 'serverError':
      return allLinked([1, 2].map((n) => [`/error/${n}`, { kind: 'error', status: 500 }]));
    case 'missing':
      return allLinked([
        ['/missing/1', { kind: 'error', status: 404 }],
        ['/missing/2', { kind: 'error', status: 410 }],
      ]);
    case 'sitemaps':
      return sitemaps(spec);
    case 'good':
    case 'robots404':
    case 'robots503':
    case 'busy':
    case 'unavailable':
    case 'slow':
    case 'refused':
    case 'nxdomain':
      return allLinked([]);
  }
}

type Entry = readonly [path: string, resource: Resource];

function allLinked(entries: readonly Entry[]): Extras {
  return { resources: new Map(entries), linkedFromHome: entries.map(([path]) => path) };
}

function privatePages({ name }: HostSpec): Extras {
  return allLinked([
    ['/private/1', page([{ host: name, path: '/private/1/below' }])],
    ['/private/1/below', page([])],
    ['/private/open', page([])],
  ]);
}

const MALFORMED_PATHS: readonly (readonly [string, MalformedForm])[] = [
  ['/broken/long-length', 'longLength'],
  ['/broken/short-length', 'shortLength'],
  ['/broken/cut-chunks', 'cutChunks'],
  ['/broken/early-close', 'earlyClose'],
  ['/broken/not-http', 'notHttp'],
];

function broken({ name }: HostSpec): Extras {
  const below: Entry = ['/broken/below', page([])];
  const linked: readonly Entry[] = [
    ['/broken/tags', page([{ host: name, path: '/broken/below' }], 'broken')],
    ['/broken/deep', page([], 'deep')],
    ...MALFORMED_PATHS.map(([path, form]): Entry => [path, { kind: 'malformed', form }]),
  ];
  return {
    resources: new Map([...linked, below]),
    linkedFromHome: linked.map(([path]) => path),
  };
}

function sitemaps({ name }: HostSpec): Extras {
  const here = (path: string): Place => ({ host: name, path });
  const named = (form: SitemapForm, paths: readonly string[]): Resource => ({
    kind: 'sitemap',
    form,
    links: paths.map(here),
  });
  return {
    sitemap: '/maps/index.xml',
    linkedFromHome: [],
    resources: new Map<string, Resource>([
      ['/maps/index.xml', named('index', ['/maps/pages.xml', '/maps/lines.txt', '/maps/gone.xml'])],
      ['/maps/pages.xml', named('pages', ['/unlinked/1?a=1&b=2', '/private/1', '/'])],
      ['/maps/lines.txt', named('lines', ['/unlinked/2'])],
      ['/unlinked/1?a=1&b=2', page([here('/unlinked/1/below')])],
      ['/unlinked/1/below', page([])],
      ['/unlinked/2', page([])],
      ['/private/1', page([])],
    ]),
  };
}

function redirects({ name, redirectsTo = [] }: HostSpec): Extras {
  const here = (path: string): Place => ({ host: name, path });
  const out = redirectsTo.map((target, index): Entry => [
    `/out/${index}`,
    redirect(302, placeOf(target)),
  ]);

  return {
    resources: new Map<string, Resource>([
      ...chain(name, 'five', 5),
      ...chain(name, 'six', 6),
      ['/loop/a', redirect(302, here('/loop/b'))],
      ['/loop/b', redirect(301, here('/loop/a'))],
      ['/loop/self', redirect(307, here('/loop/self'))],
      ['/tagged', redirect(302, here('/tagged?utm_source=web'))],
      ['/tagged?utm_source=web', page([])],
      ['/untagged?utm_source=feed', redirect(308, here('/untagged'))],
      ['/untagged', page([])],
      ...out,
    ]),
    linkedFromHome: [
      '/five/0',
      '/six/0',
      '/loop/a',
      '/loop/self',
      '/tagged',
      '/untagged?utm_source=feed',
      ...out.map(([path]) => path),
    ],
  };
}

const CHAIN_STATUSES: readonly RedirectStatus[] = [301, 302, 303, 307, 308];

function chain(host: string, label: string, hops: number): readonly Entry[] {
  const steps = Array.from({ length: hops }, (_, step): Entry => [
    `/${label}/${step}`,
    redirect(CHAIN_STATUSES[step % CHAIN_STATUSES.length] ?? 302, {
      host,
      path: `/${label}/${step + 1}`,
    }),
  ]);
  return [...steps, [`/${label}/${hops}`, page([])]];
}

function page(links: readonly Place[], markup: Markup = 'clean'): Resource {
  return { kind: 'page', links, markup };
}

function redirect(status: RedirectStatus, to: Place): Resource {
  return { kind: 'redirect', status, to };
}

function placeOf(target: string): Place {
  const slash = target.indexOf('/');
  return { host: target.slice(0, slash), path: target.slice(slash) };
}
