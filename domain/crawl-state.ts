/**
 * The life of a crawl: `running` until it ends by itself (`finished`) or is asked to stop; `stopping` while the
 * pages in flight end, then `stopped`. Both ends can be resumed.
 */
export type CrawlState = 'running' | 'stopping' | 'stopped' | 'finished';

/** Why a crawl ended (R40, R43). */
export type EndReason = 'finished' | 'pages spent' | 'time spent' | 'only retries left' | 'stopped';

/** What a host is doing; the same words in progress, `status`, `hosts` and the search attribute `CrawlState`. */
export const HOST_STATES = ['live', 'resting', 'held', 'robots', 'idle'] as const;
export type HostState = (typeof HOST_STATES)[number];
