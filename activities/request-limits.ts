import type { CrawlSettings } from '../domain/crawl-settings.ts';
import type { FetchRequest } from '../web/fetch-url.ts';
import type { ActivityDeps } from './deps.ts';

/** What every request of a crawl has in common, for a page or a robots.txt. */
export function requestLimits(
  { http1Origins }: Pick<ActivityDeps, 'http1Origins'>,
  {
    userAgent,
    allowPrivate,
    allowedRanges,
    connectTimeoutMs,
    pageTimeoutMs,
    tls,
    http2,
  }: CrawlSettings,
): Pick<
  FetchRequest,
  | 'userAgent'
  | 'allowPrivate'
  | 'allowedRanges'
  | 'connectTimeoutMs'
  | 'pageTimeoutMs'
  | 'lenientTls'
  | 'http2Except'
> {
  return {
    userAgent,
    allowPrivate,
    allowedRanges,
    connectTimeoutMs,
    pageTimeoutMs,
    lenientTls: tls === 'lenient',
    http2Except: http2 ? http1Origins : undefined,
  };
}
