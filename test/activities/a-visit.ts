import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { VisitBudget, VisitResult } from '../../activities/contract.ts';
import type { ActivityDeps } from '../../activities/deps.ts';
import { watchDisk } from '../../activities/disk-watch.ts';
import { visit } from '../../activities/visit.ts';
import { RobotsCache } from '../../activities/robots-cache.ts';
import { SeenCache } from '../../activities/seen-cache.ts';
import { SeenFilters } from '../../activities/seen-filters.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import { openWarcStore } from '../../store/warc-store.ts';
import { createParsePool } from '../../web/parse-pool.ts';
import { createResolver } from '../../web/resolver.ts';
import { prioritizerAt } from '../../workers/prioritizers.ts';

/** What a worker's activities work with, on a folder that goes with the test. */
export async function depsOn(
  db: Db,
  { stopping = new AbortController().signal, parseLimitMs = 20_000 } = {},
): Promise<ActivityDeps> {
  const dir = await mkdtemp(join(tmpdir(), 'decorum-visit-'));
  const warc = await openWarcStore({ dir, slot: 'w1' });
  const parser = createParsePool({ threads: 1, timeLimitMs: parseLimitMs, memoryMb: 128 });
  const resolver = createResolver({ servers: [] });
  const watched = new AbortController();
  onTestFinished(async () => {
    watched.abort();
    await warc.close();
    await parser.close();
    await rm(dir, { recursive: true, force: true });
  });
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  return {
    db,
    warc,
    disk: watchDisk({ db, dir, log, stopping: watched.signal }),
    parser,
    stopping,
    resolverFor: () => resolver,
    feedHost: () => Promise.resolve(),
    prioritizerFor: prioritizerAt,
    robotsCache: new RobotsCache(),
    seenCache: new SeenCache(),
    seenFilters: new SeenFilters(() => 0.5),
    notBefore: new Map(),
    http1Origins: new Set(),
    random: () => 0.5,
    log,
  };
}

/** Runs one visit of a host. */
export async function visitHost(
  deps: ActivityDeps,
  hostKey: string,
  budget: VisitBudget = { pages: 1, ms: 60_000 },
): Promise<VisitResult> {
  const hostId = await ensureHost(deps.db, hostKey);
  const context = { cancelled: new AbortController().signal, heartbeat: () => undefined };
  return visit(deps, { hostId, hostKey, budget }, context);
}
