import type { CrawlSettings } from '../domain/crawl-settings.ts';
import type { FetchRequest } from '../web/fetch-url.ts';

/** What every request of a crawl has in common, for a page or a robots.txt. */
export function requestLimits({
  userAgent,
  allowPrivate,
  allowedRanges,
  connectTimeoutMs,
  pageTimeoutMs,
  tls,
}: CrawlSettings): Pick<
  FetchRequest,
  | 'userAgent'
  | 'allowPrivate'
  | 'allowedRanges'
  | 'connectTimeoutMs'
  | 'pageTimeoutMs'
  | 'lenientTls'
> {
  return {
    userAgent,
    allowPrivate,
    allowedRanges,
    connectTimeoutMs,
    pageTimeoutMs,
    lenientTls: tls === 'lenient',
  };
}
