import { randomUUID } from 'node:crypto';
import { claim, type Claim, type ClaimedRequest, type HoldRow } from '../db/claim.ts';
import { parkHost } from '../db/hosts.ts';
import { awaitRoom } from './await-room.ts';
import type { Hold, VisitNext, VisitOrder, VisitResult } from './contract.ts';
import type { ActivityDeps } from './deps.ts';
import { settleByRule } from './put-back.ts';
import { servePage } from './serve-page.ts';
import { serveRobots } from './serve-robots.ts';
import type { Served } from './served.ts';
import { mayGoOn, waitedHere, type Stay } from './stay.ts';
import { ended, excludedByRule } from './url-settlement.ts';

/** What Temporal gives a running visit. */
export interface VisitContext {
  readonly cancelled: AbortSignal;
  readonly heartbeat: (details: unknown) => void;
}

/** The web UI shows what a visit is doing; a dead worker shows within the heartbeat time-out. */
const HEARTBEAT_MS = 3_000;

/**
 * Serves one host for as long as the budget lasts: claim, fetch, settle, and the gaps that fit. On shutdown or cancel
 * it finishes its page, skips the gaps and returns what it did.
 */
export async function visit(
  deps: ActivityDeps,
  order: VisitOrder,
  context: VisitContext,
): Promise<VisitResult> {
  let doing: unknown = { doing: 'claiming' };
  const heartbeats = setInterval(() => {
    context.heartbeat(doing);
  }, HEARTBEAT_MS);
  const ending = firstOf([deps.stopping, context.cancelled]);
  const stay: Stay = {
    budget: order.budget,
    startedAtMs: performance.now(),
    ending: ending.signal,
    showing: (details) => {
      doing = details;
      context.heartbeat(details);
    },
    names: new Map(),
    cookies: new Map(),
    notes: [],
    requests: 0,
  };
  try {
    const next = await serve(deps, order.hostId, stay);
    await makeRoom(deps, order.hostId, next);
    return { next, requests: stay.requests, notes: stay.notes };
  } finally {
    clearInterval(heartbeats);
    ending.letGo();
  }
}

/**
 * Aborted with the first of the given signals, until it is let go. `AbortSignal.any` would leave a trace of every visit
 * on the process's own signal.
 */
function firstOf(signals: readonly AbortSignal[]): {
  readonly signal: AbortSignal;
  readonly letGo: () => void;
} {
  const first = new AbortController();
  const abort = (): void => {
    first.abort();
  };
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  const letGo = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  return { signal: first.signal, letGo };
}

/** A host that is no longer live gives its place to another at once, without a turn of its workflow. */
async function makeRoom({ db }: ActivityDeps, hostId: number, next: VisitNext): Promise<void> {
  switch (next.kind) {
    case 'again':
      return;
    case 'resting':
    case 'robots':
      return parkHost(db, hostId, next.kind);
    case 'held':
    case 'empty':
      return parkHost(db, hostId, 'idle');
  }
}

async function serve(deps: ActivityDeps, hostId: number, stay: Stay): Promise<VisitNext> {
  for (;;) {
    if (stay.ending.aborted) return { kind: 'again', waitMs: 0 };
    if (!(await awaitRoom(deps, stay))) return { kind: 'again', waitMs: untilNextLook(deps) };
    const claimed = await claimWhenAllowed(deps, hostId);
    if (!isRequest(claimed)) {
      const next = endOf(claimed);
      if (next.kind === 'again' && (await waitedHere(stay, next.waitMs))) continue;
      return next;
    }
    const served = await turn(deps, stay, claimed);
    const owed = owedTo(hostId, served);
    if (owed.waitMs === 0 && served.kind === 'nothingSent' && isInTime(stay)) continue;
    if (!mayGoOn(stay) || owed.durable || !(await waitedHere(stay, owed.waitMs))) {
      return { kind: 'again', waitMs: Math.max(Math.ceil(owed.waitMs), 0) };
    }
  }
}

/** Where the disk has no room the next visit comes in 5 to 10 s, and waits again itself; spread, since all hosts wait. */
function untilNextLook({ random }: ActivityDeps): number {
  return Math.ceil(5_000 * (1 + random()));
}

/** This process's monotonic clock is asked first: a wall clock set forward must not release a host early. */
async function claimWhenAllowed({ db, notBefore }: ActivityDeps, hostId: number): Promise<Claim> {
  const leftMs = (notBefore.get(hostId) ?? 0) - performance.now();
  if (leftMs > 0) return { kind: 'notYet', waitMs: Math.ceil(leftMs) };
  notBefore.delete(hostId);
  return claim(db, hostId, randomUUID());
}

function isRequest(claimed: Claim): claimed is ClaimedRequest {
  return 'lease' in claimed;
}

/** What a claim that gave no request means for the visit. */
function endOf(claimed: Exclude<Claim, ClaimedRequest>): VisitNext {
  switch (claimed.kind) {
    case 'notYet':
      return { kind: 'again', waitMs: claimed.waitMs };
    case 'held':
      return { kind: 'held', hold: holdOf(claimed.hold) };
    case 'later':
      return { kind: claimed.robots ? 'robots' : 'resting', waitMs: claimed.waitMs };
    case 'empty':
      return { kind: 'empty' };
  }
}

/** A hold as it crosses to a workflow. */
export function holdOf({ who, why, since, until }: HoldRow): Hold {
  return { who, why, since: since.toISOString(), until: until?.toISOString() ?? null };
}

/** A rule of the crawl's own that has come since the URL was queued is asked before anything is sent, a robots.txt too. */
function turn(deps: ActivityDeps, stay: Stay, claimed: ClaimedRequest): Promise<Served> {
  const excluded = excludedByRule(claimed.url);
  if (excluded !== undefined) return settleByRule(deps, claimed, excluded);
  switch (claimed.kind) {
    case 'page':
      return servePage(deps, stay, claimed);
    case 'robots':
      return serveRobots(deps, stay, claimed);
    case 'excluded': {
      const verdict = ended(claimed.url, 'excluded', 'excluded', 'policy', false);
      return settleByRule(deps, claimed, verdict);
    }
  }
}

/** A request sent to another host (a robots.txt that redirects there) leaves the visited host owed nothing. */
function owedTo(
  hostId: number,
  served: Served,
): { readonly waitMs: number; readonly durable: boolean } {
  if (served.kind === 'nothingSent') return { waitMs: served.waitMs, durable: false };
  return served.hostId === hostId
    ? { waitMs: Math.max(served.owedMs, 0), durable: served.durable }
    : { waitMs: 0, durable: false };
}

function isInTime({ startedAtMs, budget }: Stay): boolean {
  return performance.now() - startedAtMs < budget.ms;
}
