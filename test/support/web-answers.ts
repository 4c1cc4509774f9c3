import type { MalformedForm, Place, RedirectStatus, Resource } from './web-resources.ts';
import { SHARED_ROBOTS_PATH, type Site } from './web-site.ts';

/** What the server does with one request. */
export type Answer =
  | { readonly kind: 'page'; readonly page: Resource & { readonly kind: 'page' } }
  | { readonly kind: 'sitemap'; readonly sitemap: Resource & { readonly kind: 'sitemap' } }
  | { readonly kind: 'robots'; readonly text: string }
  | { readonly kind: 'redirect'; readonly status: RedirectStatus; readonly to: Place }
  | {
      readonly kind: 'refusal';
      readonly status: number;
      /** The `Retry-After` to send, and in which form. */
      readonly retryAfter: RetryAfter | undefined;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'malformed'; readonly form: MalformedForm };

/** How long a client should stay away (RFC 9110 §10.2.3). */
export interface RetryAfter {
  readonly seconds: number;
  readonly form: 'seconds' | 'date';
}

/** How often a host was asked before, this request not counted. */
export interface AskedBefore {
  readonly robots: number;
  readonly pages: number;
}

/** What a site answers, given how often it was asked before. */
export function answerOf(site: Site, path: string, asked: AskedBefore): Answer {
  if (path === '/robots.txt') return robotsAnswer(site, asked.robots);
  if (path === SHARED_ROBOTS_PATH) return { kind: 'robots', text: PRIVATE_RULES };

  return putOff(site, asked.pages) ?? resourceAnswer(site.resources.get(path));
}

/** What a host gets that the test web doesn't have. */
export const NO_SUCH_HOST: Answer = { kind: 'refusal', status: 421, retryAfter: undefined };

/** Which host's file a `robotsRedirect` host points to; its own when it names none. */
export function robotsTarget({ spec }: Site): Place {
  return { host: spec.robotsFrom ?? spec.linksTo?.[0] ?? spec.name, path: SHARED_ROBOTS_PATH };
}

const DEFAULT_ROBOTS_FAILURES = 2;
const DEFAULT_EVERY_NTH = 4;
const DEFAULT_RETRY_AFTER_SECONDS = 2;

const OPEN_RULES = 'User-agent: *\nDisallow:\n';
const PRIVATE_RULES = `User-agent: some-other-bot
Disallow: /

User-agent: *
Disallow: /private/
Allow: /private/open
`;

function robotsAnswer(site: Site, askedBefore: number): Answer {
  const { spec } = site;
  switch (spec.kind) {
    case 'robots':
      return { kind: 'robots', text: privateRules(spec.crawlDelaySeconds) };
    case 'sitemaps':
      return { kind: 'robots', text: `${PRIVATE_RULES}Sitemap: ${site.sitemap?.path ?? ''}\n` };
    case 'robots404':
      return refusal(404);
    case 'robots503':
      return refusal(503);
    case 'robotsRecovers':
      return askedBefore < (spec.robotsFailures ?? DEFAULT_ROBOTS_FAILURES)
        ? refusal(503)
        : { kind: 'robots', text: privateRules(spec.crawlDelaySeconds) };
    case 'robotsRedirect':
      return { kind: 'redirect', status: 302, to: robotsTarget(site) };
    case 'good':
    case 'busy':
    case 'unavailable':
    case 'redirects':
    case 'slow':
    case 'hanging':
    case 'refused':
    case 'broken':
    case 'serverError':
    case 'missing':
    case 'nxdomain':
      return { kind: 'robots', text: OPEN_RULES };
  }
}

function privateRules(crawlDelaySeconds: number | undefined): string {
  return crawlDelaySeconds === undefined
    ? PRIVATE_RULES
    : `${PRIVATE_RULES}Crawl-delay: ${crawlDelaySeconds}\n`;
}

function putOff({ spec }: Site, askedBefore: number): Answer | undefined {
  if (spec.kind !== 'busy' && spec.kind !== 'unavailable') return undefined;
  if ((askedBefore + 1) % (spec.everyNth ?? DEFAULT_EVERY_NTH) !== 0) return undefined;
  if (spec.kind === 'unavailable') return refusal(503);

  return refusal(429, {
    seconds: spec.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS,
    form: spec.retryAfterForm ?? 'seconds',
  });
}

function resourceAnswer(resource: Resource | undefined): Answer {
  if (resource === undefined) return refusal(404);
  switch (resource.kind) {
    case 'page':
      return { kind: 'page', page: resource };
    case 'sitemap':
      return { kind: 'sitemap', sitemap: resource };
    case 'error':
      return refusal(resource.status);
    case 'redirect':
    case 'hang':
    case 'malformed':
      return resource;
  }
}

function refusal(status: number, retryAfter?: RetryAfter): Answer {
  return { kind: 'refusal', status, retryAfter };
}
