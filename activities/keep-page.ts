import type { ClaimedUrl } from '../db/claim.ts';
import { isContent } from '../domain/answer.ts';
import type { WarcPlace } from '../store/warc-store.ts';
import type { FetchResult } from '../web/fetch-url.ts';
import type { Sitemap } from '../web/read-sitemap.ts';
import type { ActivityDeps } from './deps.ts';
import { directivesOf, linksOfAnswer } from './page-links.ts';
import { isNamedSitemap } from './sitemaps.ts';
import { askedAbout } from './validators.ts';

/** Where a page's answer lies, and what it says; nothing of it where there is nothing to keep. */
export interface KeptPage {
  readonly place?: WarcPlace;
  /** As its record says. */
  readonly fetchedAt?: Date;
  readonly title?: string;
  /** Where the page leads and may be left by; absent where it is none. */
  readonly links?: readonly string[];
  /** How many of its links were left out already, by reason. */
  readonly leftOut?: Readonly<Record<string, number>>;
  readonly noindex?: boolean;
  readonly sitemap?: Sitemap;
  /** Why a page could not be parsed, or not to its end. */
  readonly stopped?: string;
}

/**
 * Stores an answer before its links count as found (R32), and parses a page beside the fetching (R36).
 *
 * @throws the disk's error where the answer cannot be stored.
 */
export async function keepPage(
  { warc, parser }: ActivityDeps,
  url: ClaimedUrl,
  { outcome, answer, fetchMs, endedAtMs }: FetchResult,
): Promise<KeptPage> {
  if (answer === undefined || outcome.kind === 'putOff' || outcome.kind === 'failed') return {};

  const { body, contentType, ...kept } = answer;
  const agoMs = performance.now() - endedAtMs + fetchMs;
  const fetchedAt = new Date(Date.now() - agoMs);
  const revisits = outcome.kind === 'unchanged' ? askedAbout(url) : undefined;
  const about = { crawl: url.crawl, url: url.requestUrl, fetchedAt, revisits };
  const place = await warc.write({ ...about, ...kept });
  if (outcome.kind !== 'fetched') return { place, fetchedAt };

  const parsed = isContent(answer.status)
    ? await parser.parse({
        url: url.requestUrl,
        contentType,
        body,
        namedSitemap: isNamedSitemap(url),
        embeds: url.settings.embeds,
      })
    : undefined;
  const page = parsed?.kind === 'parsed' ? parsed.page : undefined;
  const { noindex, nofollow } = directivesOf(url, answer, page, Date.now());
  return {
    place,
    fetchedAt,
    noindex,
    ...(page?.sitemap === undefined || nofollow ? {} : { sitemap: page.sitemap }),
    ...(page?.title === undefined ? {} : { title: page.title }),
    ...(isContent(answer.status)
      ? nofollow
        ? { links: [] }
        : linksOfAnswer(url, answer, page)
      : {}),
    ...(parsed?.kind === 'stopped' ? { stopped: `parse stopped by ${parsed.reason}` } : {}),
    ...(page?.cut === true ? { stopped: 'more links than are kept' } : {}),
  };
}
