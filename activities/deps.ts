import type { Db } from '../db/pool.ts';
import type { PrioritizerFor } from '../domain/prioritizer.ts';
import type { WarcStore } from '../store/warc-store.ts';
import type { Http1Origins } from '../web/http1-origins.ts';
import type { ParsePool } from '../web/parse-pool.ts';
import type { Resolver } from '../web/resolver.ts';
import type { HostFeed, VisitBudget } from './contract.ts';
import type { NotBefore } from './not-before.ts';
import type { DiskWatch } from './disk-watch.ts';
import type { RobotsCache } from './robots-cache.ts';
import type { SeenCache } from './seen-cache.ts';
import type { SeenFilters } from './seen-filters.ts';

/** Sends a host's workflow a feed, starting it where it has none. */
export type FeedHost = (
  feed: HostFeed,
  order: { readonly batch: string; readonly budget: VisitBudget },
) => Promise<void>;

/** What the activities of one process work with. */
export interface ActivityDeps {
  readonly db: Db;
  readonly warc: WarcStore;
  /** Whether the store's disk has room. */
  readonly disk: DiskWatch;
  readonly parser: ParsePool;
  /** The resolver for these name servers; one a list of servers. */
  readonly resolverFor: (servers: readonly string[]) => Resolver;
  readonly feedHost: FeedHost;
  readonly prioritizerFor: PrioritizerFor;
  /** Aborted when the process begins to shut down: visits finish their page and skip the gaps. */
  readonly stopping: AbortSignal;
  /** Parsed robots.txt files by id, version and product token. */
  readonly robotsCache: RobotsCache;
  /** URL keys that the frontier holds: these links need not be told to it again. */
  readonly seenCache: SeenCache;
  /** Where crawls know URLs by filter only. */
  readonly seenFilters: SeenFilters;
  /** Beside Postgres's clock: a wall clock that is set forward must not release a host early. */
  readonly notBefore: NotBefore;
  /** Those that are not offered HTTP/2. */
  readonly http1Origins: Http1Origins;
  readonly random: () => number;
  readonly log: Log;
}

/** A logger; a constant message and fields. */
export interface Log {
  readonly debug: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
}
