import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { admit as admitFromOutbox, type Admitted } from '../db/admit.ts';
import { hasChore } from '../db/chores.ts';
import { outlookOf } from '../db/crawl-end.ts';
import { openCrawl } from '../db/crawls.ts';
import { doChore } from '../db/do-chore.ts';
import { writeHold } from '../db/holds.ts';
import { parkHost } from '../db/hosts.ts';
import { parseHostKey } from '../domain/host-key.ts';
import { closeCrawl } from './close-crawl.ts';
import type {
  AdmitResult,
  CrawlActivities,
  Hold,
  HoldOrder,
  OpenedCrawl,
  ShardOrder,
} from './contract.ts';
import type { ActivityDeps } from './deps.ts';
import { feed, refeed } from './feed.ts';
import { pull } from './pull.ts';
import { holdOf, visit } from './visit.ts';

/** A dead worker shows within the heartbeat time-out of these activities (10 s). */
const HEARTBEAT_MS = 3_000;

/** Binds the activities to this process's database pool, WARC store, parse threads and logger. */
export function createActivities(deps: ActivityDeps): CrawlActivities {
  return {
    visit: (order) => {
      const context = Context.current();
      return visit(deps, order, {
        cancelled: context.cancellationSignal,
        heartbeat: (details) => {
          context.heartbeat(details);
        },
      });
    },
    writeHold: (order) => obeyHold(deps, order),
    parkHost: ({ hostId }) => beating(() => parkHost(deps.db, hostId, 'idle')),
    admit: (order) => beating(() => admit(deps, order)),
    pullBatch: (order) => beating(() => pull(deps, order)),
    feedHosts: (order) => beating(() => feed(deps, order)),
    openCrawl: ({ name, begin }) => beating(() => open(deps, name, begin)),
    endOfCrawl: ({ crawlId }) => beating(async () => (await outlookOf(deps.db, crawlId)).end),
    closeCrawl: (order) => beating(() => closeCrawl(deps, order)),
    refeed: (order) => beating(() => refeed(deps, order)),
  };
}

/** Heartbeats for as long as the work lasts. */
async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const beats = setInterval(() => {
    context.heartbeat();
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beats);
  }
}

async function admit(deps: ActivityDeps, shard: ShardOrder): Promise<AdmitResult> {
  const { db } = deps;
  const { rows, admitted } = await admitSeen(deps, shard);
  const choreIsLeft = await doChores(deps, shard);
  const { end, busy } = await outlookOf(db, shard.crawlId);
  return { rows, admitted, quiet: end !== null, busy: busy || choreIsLeft };
}

/** What the frontier holds is remembered once it is there for good. */
async function admitSeen(
  { db, seenCache, seenFilters, prioritizerFor }: ActivityDeps,
  shard: ShardOrder,
): Promise<Admitted> {
  const filter = await seenFilters.of(db, shard);
  try {
    const done = await admitFromOutbox(db, shard, { filter, prioritizerFor });
    seenCache.add(shard.crawlId, done.seen);
    seenFilters.add(shard, done.seen);
    return done;
  } catch (error) {
    seenCache.clear();
    throw error;
  }
}

/** Of one round, in milliseconds; our choice: links and hosts wait meanwhile. */
const CHORE_MS = 1_000;

/** Gives whether some of a chore is left for the next round. */
async function doChores(deps: ActivityDeps, shard: ShardOrder): Promise<boolean> {
  const { db } = deps;
  if (!(await hasChore(db, shard))) return false;
  const endMs = performance.now() + CHORE_MS;
  while (await doChore(db, shard, deps)) {
    if (performance.now() >= endMs) return true;
  }
  return false;
}

async function open({ db }: ActivityDeps, name: string, begin: boolean): Promise<OpenedCrawl> {
  const opened = await openCrawl(db, name, begin);
  if (opened === undefined)
    throw ApplicationFailure.nonRetryable(`There is no crawl "${name}"`, 'UnknownCrawl');
  return opened;
}

async function obeyHold(
  { db }: ActivityDeps,
  { hostKey, hold, sequence }: HoldOrder,
): Promise<Hold | null> {
  const host = parseHostKey(hostKey);
  if (host === undefined)
    throw ApplicationFailure.nonRetryable(`"${hostKey}" is no host`, 'BadHost');
  const standing = await writeHold(db, host, hold === null ? null : holdRowOf(hold), sequence);
  return standing.hold === null ? null : holdOf(standing.hold);
}

/** An `until` that is no instant is left out: a pause that never ends is safer than one that never begins. */
function holdRowOf({ who, why, until }: NonNullable<HoldOrder['hold']>): {
  who: string;
  why: string;
  until?: Date;
} {
  const instant = until === undefined ? undefined : new Date(until);
  const isInstant = instant !== undefined && !Number.isNaN(instant.getTime());
  return { who, why, ...(isInstant ? { until: instant } : {}) };
}
