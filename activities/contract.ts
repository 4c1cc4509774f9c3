import type { EndReason } from '../domain/crawl-state.ts';

/** How much a visit may do: requests, and milliseconds from its start. */
export interface VisitBudget {
  readonly pages: number;
  readonly ms: number;
}

/** A pause of one host: who asked for it, why, since and until when (ISO 8601). */
export interface Hold {
  readonly who: string;
  readonly why: string;
  readonly since: string;
  readonly until: string | null;
}

export interface VisitOrder {
  readonly hostId: number;
  readonly hostKey: string;
  readonly budget: VisitBudget;
}

/** One request of a visit, for the trail that `inspect` shows. */
export interface VisitNote {
  readonly url: string;
  readonly outcome: string;
  readonly at: string;
}

/**
 * What the host needs next; `waitMs` is counted by Postgres from the visit's end.
 *
 * - `again`: more is due once the gap, a backoff or a lease has run out.
 * - `resting`: only retries are left; `robots`: only URLs that wait for robots.txt.
 * - `held`: somebody paused the host. `empty`: its back queue is empty.
 */
export type VisitNext =
  | { readonly kind: 'again'; readonly waitMs: number }
  | { readonly kind: 'resting'; readonly waitMs: number }
  | { readonly kind: 'robots'; readonly waitMs: number }
  | { readonly kind: 'held'; readonly hold: Hold }
  | { readonly kind: 'empty' };

export interface VisitResult {
  readonly next: VisitNext;
  readonly requests: number;
  readonly notes: readonly VisitNote[];
}

export interface HoldOrder {
  readonly hostKey: string;
  /** `null` lifts the hold. */
  readonly hold: { readonly who: string; readonly why: string; readonly until?: string } | null;
  readonly who: string;
  /** The number under which the row was written already; absent for a bare signal. */
  readonly sequence?: number;
}

export interface ShardOrder {
  readonly crawlId: number;
  readonly shard: number;
}

export interface AdmitResult {
  /** Outbox rows taken; below the batch size the outbox is drained. */
  readonly rows: number;
  readonly admitted: number;
  /** Whether the crawl should be asked for its end: nothing is left to do, or a budget is spent. */
  readonly quiet: boolean;
  /** Whether an assigned row or an outbox row is left, so that the next round must come soon. */
  readonly busy: boolean;
}

export interface PullOrder extends ShardOrder {
  /** Rises from pull to pull; a repeated call with the same number assigns nothing new. */
  readonly batchId: number;
}

/** A host whose back queue has been given URLs. */
export interface HostFeed {
  readonly hostId: number;
  readonly hostKey: string;
  readonly count: number;
}

export type PullResult =
  | { readonly kind: 'pulled'; readonly feeds: readonly HostFeed[]; readonly budget: VisitBudget }
  | { readonly kind: 'stale'; readonly latestBatchId: number };

export interface FeedOrder {
  readonly batchId: number;
  readonly feeds: readonly HostFeed[];
  readonly budget: VisitBudget;
}

export interface OpenedCrawl {
  readonly crawlId: number;
  readonly shards: number;
  /** What is left of the time budget; `null` where there is none. */
  readonly timeLeftMs: number | null;
}

/** What workflows may ask of the outside world. */
export interface CrawlActivities {
  /** Serves one host for as long as the budget lasts; says how long to leave it alone afterwards. */
  readonly visit: (order: VisitOrder) => Promise<VisitResult>;
  /** Writes or lifts a hold unless a later order has been written; gives the hold that stands. */
  readonly writeHold: (order: HoldOrder) => Promise<Hold | null>;
  /** Records that nobody serves a host any more, and lets the prioritizer know. */
  readonly parkHost: (order: { readonly hostId: number }) => Promise<void>;
  /** Takes the outbox's links into the frontier and sets the front queues of every host concerned. */
  readonly admit: (order: ShardOrder) => Promise<AdmitResult>;
  /** Assigns a biased batch of due URLs to their hosts' back queues; no feeds when nothing is due. */
  readonly pullBatch: (order: PullOrder) => Promise<PullResult>;
  /** Signals each host of a batch, starting its workflow where it has none. */
  readonly feedHosts: (order: FeedOrder) => Promise<void>;
  /** Tells what a crawl's workflow needs; with `begin`, marks the crawl as running first. */
  readonly openCrawl: (order: {
    readonly name: string;
    readonly begin: boolean;
  }) => Promise<OpenedCrawl>;
  /** Whether the crawl has come to its end, and why; `null` while there is work. */
  readonly endOfCrawl: (order: { readonly crawlId: number }) => Promise<EndReason | null>;
  /** Lets the requests in flight end, then writes the crawl's end. */
  readonly closeCrawl: (order: {
    readonly crawlId: number;
    readonly reason: EndReason;
  }) => Promise<void>;
  /** Feeds every host that has due URLs and nobody at work on them; of one crawl, or of all. Gives their number. */
  readonly refeed: (order: {
    readonly crawlId?: number;
    readonly atOnce: boolean;
  }) => Promise<number>;
}
