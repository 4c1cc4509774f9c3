import { forgottenHosts, heldHosts, markLive, parkForgotten } from '../db/hosts.ts';
import type { FeedOrder, HostFeed, VisitBudget } from './contract.ts';
import type { ActivityDeps } from './deps.ts';
import { budgetNow } from './pull.ts';

/** Signals sent at once; our choice, so that a large batch doesn't crowd out other calls to the server. */
const AT_ONCE = 20;

/** Signals each host of a batch, one signal a host. */
export async function feed(
  deps: ActivityDeps,
  { batchId, feeds, budget }: FeedOrder,
): Promise<void> {
  await markLive(
    deps.db,
    feeds.map(({ hostId }) => hostId),
  );
  await signalAll(deps, feeds, { batch: String(batchId), budget });
}

/** A live host that nobody has asked for so long is served by nobody, in milliseconds; our choice. */
const FORGOTTEN_AFTER_MS = 60_000;

async function signalAll(
  { feedHost }: ActivityDeps,
  feeds: readonly HostFeed[],
  order: { readonly batch: string; readonly budget: VisitBudget },
): Promise<void> {
  for (let at = 0; at < feeds.length; at += AT_ONCE) {
    await Promise.all(feeds.slice(at, at + AT_ONCE).map((host) => feedHost(host, order)));
  }
}

/**
 * Feeds again every host whose due URLs nobody seems to serve: what was lost between Postgres and Temporal comes back.
 * At once (after a stop or a kill) it takes all hosts with assigned URLs, and the held ones, so that people find them.
 */
export async function refeed(
  deps: ActivityDeps,
  { crawlId, atOnce }: { readonly crawlId?: number; readonly atOnce: boolean },
): Promise<number> {
  const budget =
    crawlId === undefined ? { pages: 1, ms: 60_000 } : await budgetNow(deps.db, crawlId);
  const order = { batch: 'again', budget };
  await parkForgotten(deps.db, FORGOTTEN_AFTER_MS);
  let fed = 0;
  let after = 0;
  for (;;) {
    const hosts = await forgottenHosts(deps.db, { crawlId, atOnce, after });
    const last = hosts.at(-1);
    if (last === undefined) break;
    await markLive(
      deps.db,
      hosts.map(({ hostId }) => hostId),
    );
    await signalAll(deps, hosts, order);
    fed += hosts.length;
    after = last.hostId;
  }
  if (atOnce) await signalAll(deps, await heldHosts(deps.db), order);
  return fed;
}
