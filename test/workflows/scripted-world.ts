import { Context } from '@temporalio/activity';
import type {
  AdmitResult,
  CrawlActivities,
  Hold,
  OpenedCrawl,
  PullResult,
  VisitNext,
  VisitOrder,
  VisitResult,
} from '../../activities/contract.ts';
import type { EndReason } from '../../domain/crawl-state.ts';

/** A visit that a host was paid. */
export interface SeenVisit {
  readonly order: VisitOrder;
  /** Milliseconds by the machine's clock. */
  readonly startedAtMs: number;
}

/** What a host's visits come to; `times` counts from 1. */
export type VisitScript = (times: number, order: VisitOrder) => VisitNext | Promise<VisitNext>;

/** What a crawl's activities find; what is missing finds nothing to do. */
export interface CrawlScript {
  readonly opened?: Partial<OpenedCrawl>;
  readonly admit?: (times: number) => Partial<AdmitResult> | Promise<Partial<AdmitResult>>;
  readonly pull?: (times: number, batchId: number) => PullResult;
  /** Asked when a prioritizer said that all is quiet. */
  readonly end?: (times: number) => EndReason | null;
  readonly refeed?: (times: number) => Promise<number> | number;
}

/**
 * The outside world of the workflows, in memory: activities that a real worker runs against a real Temporal server,
 * with a row of holds as Postgres keeps it, and a record of every call. Hosts and crawls are told apart by their names,
 * so that the tests of a file can share one.
 */
export class ScriptedWorld {
  readonly #visits = new Map<string, SeenVisit[]>();
  readonly #holds = new Map<string, { hold: Hold | null; sequence: number }>();
  readonly #hostScripts = new Map<string, VisitScript>();
  readonly #crawlScripts = new Map<number, CrawlScript>();
  readonly #crawlIds = new Map<string, number>();
  readonly #calls: { readonly about: string | number; readonly what: string }[] = [];

  /** Says what visits of a host come to. */
  host(hostKey: string, script: VisitScript): void {
    this.#hostScripts.set(hostKey, script);
  }

  /** Says what a crawl's activities find; gives its number. */
  crawl(name: string, script: CrawlScript): number {
    const crawlId = this.#crawlIds.get(name) ?? this.#crawlIds.size + 1;
    this.#crawlIds.set(name, crawlId);
    this.#crawlScripts.set(crawlId, script);
    return crawlId;
  }

  visitsOf(hostKey: string): readonly SeenVisit[] {
    return this.#visits.get(hostKey) ?? [];
  }

  /** What stands in the host's row. */
  holdOf(hostKey: string): Hold | null {
    return this.#holds.get(hostKey)?.hold ?? null;
  }

  /** Every call about a host (its key or number) or a crawl (its number), oldest first, visits aside. */
  callsAbout(about: string | number): readonly string[] {
    return this.#calls.filter((call) => call.about === about).map(({ what }) => what);
  }

  /** For a worker. */
  readonly activities: CrawlActivities = {
    visit: (order) => this.#visit(order),
    writeHold: ({ hostKey, hold, sequence }) => {
      this.#note(hostKey, hold === null ? 'resume' : `pause by ${hold.who}`);
      const row = this.#holds.get(hostKey) ?? { hold: null, sequence: 0 };
      if (sequence === undefined || sequence > row.sequence) {
        row.hold = hold && { since: new Date().toISOString(), until: null, ...hold };
        row.sequence = sequence ?? row.sequence + 1;
      }
      this.#holds.set(hostKey, row);
      return Promise.resolve(row.hold);
    },
    parkHost: ({ hostId }) => {
      this.#note(hostId, 'park');
      return Promise.resolve();
    },
    admit: async ({ crawlId }) => {
      const times = this.#note(crawlId, 'admit');
      const found = await this.#crawlScripts.get(crawlId)?.admit?.(times);
      return { rows: 0, admitted: 0, quiet: false, busy: false, ...found };
    },
    pullBatch: ({ crawlId, batchId }) => {
      const times = this.#note(crawlId, 'pullBatch');
      const nothing: PullResult = { kind: 'pulled', feeds: [], budget: { pages: 1, ms: 60_000 } };
      return Promise.resolve(this.#crawlScripts.get(crawlId)?.pull?.(times, batchId) ?? nothing);
    },
    feedHosts: ({ feeds }) => {
      for (const { hostKey } of feeds) this.#note(hostKey, 'feed');
      return Promise.resolve();
    },
    openCrawl: ({ name, begin }) => {
      const crawlId = this.#crawlIds.get(name) ?? 0;
      this.#note(crawlId, begin ? 'openCrawl, begin' : 'openCrawl');
      const { opened } = this.#crawlScripts.get(crawlId) ?? {};
      return Promise.resolve({ crawlId, shards: 1, timeLeftMs: null, ...opened });
    },
    endOfCrawl: ({ crawlId }) => {
      const times = this.#note(crawlId, 'endOfCrawl');
      return Promise.resolve(this.#crawlScripts.get(crawlId)?.end?.(times) ?? null);
    },
    closeCrawl: ({ crawlId, reason }) => {
      this.#note(crawlId, `closeCrawl, ${reason}`);
      return Promise.resolve();
    },
    refeed: async ({ crawlId = 0 }) => {
      const times = this.#note(crawlId, 'refeed');
      return (await this.#crawlScripts.get(crawlId)?.refeed?.(times)) ?? 0;
    },
  };

  async #visit(order: VisitOrder): Promise<VisitResult> {
    const { hostKey } = order;
    const visits = this.#visits.get(hostKey) ?? [];
    this.#visits.set(hostKey, visits);
    visits.push({ order, startedAtMs: Date.now() });
    const hold = this.holdOf(hostKey);
    if (hold !== null) return { next: { kind: 'held', hold }, requests: 0, notes: [] };
    const beats = setInterval(() => {
      Context.current().heartbeat();
    }, 1_000);
    try {
      const next = (await this.#hostScripts.get(hostKey)?.(visits.length, order)) ?? {
        kind: 'empty',
      };
      const at = new Date().toISOString();
      const url = `http://${hostKey}/${String(visits.length)}`;
      return { next, requests: 1, notes: [{ url, outcome: 'ok', at }] };
    } finally {
      clearInterval(beats);
    }
  }

  /** How often this has been called now. */
  #note(about: string | number, what: string): number {
    this.#calls.push({ about, what });
    return this.#calls.filter((call) => call.about === about && call.what === what).length;
  }
}
