import type { ClaimedUrl } from '../db/claim.ts';
import type { WarcPlace } from '../store/warc-store.ts';
import type { ParsedPage } from '../web/extract-links.ts';
import type { FetchResult } from '../web/fetch-url.ts';
import type { ActivityDeps } from './deps.ts';

/** Where a page's answer lies, and what it says; nothing of it where there is nothing to keep. */
export interface KeptPage {
  readonly place?: WarcPlace;
  readonly page?: ParsedPage;
  /** Why a page could not be parsed. */
  readonly stopped?: string;
}

/**
 * Stores an answer before its links count as found (R32), and parses a page beside the fetching (R36).
 *
 * @throws the disk's error where the answer cannot be stored.
 */
export async function keepPage(
  { warc, parser }: ActivityDeps,
  { crawl, requestUrl }: ClaimedUrl,
  { outcome, answer, fetchMs, endedAtMs }: FetchResult,
): Promise<KeptPage> {
  if (answer === undefined || outcome.kind === 'putOff' || outcome.kind === 'failed') return {};

  const { body, contentType, ...kept } = answer;
  const agoMs = performance.now() - endedAtMs + fetchMs;
  const fetchedAt = new Date(Date.now() - agoMs);
  const place = await warc.write({ crawl, url: requestUrl, fetchedAt, ...kept });
  if (outcome.kind !== 'fetched' || answer.status < 200 || answer.status > 299) return { place };

  const parsed = await parser.parse({ url: requestUrl, contentType, body });
  if (parsed.kind === 'parsed') return { place, page: parsed.page };
  return { place, stopped: `parse stopped by ${parsed.reason}` };
}
