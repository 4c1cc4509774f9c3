import { setTimeout as pause } from 'node:timers/promises';
import { createCookies, type Cookies } from '../web/cookies.ts';
import type { Resolution } from '../web/resolver.ts';
import type { ClaimedUrl } from '../db/claim.ts';
import type { VisitBudget, VisitNote } from './contract.ts';

/** A wait up to this long is not worth a durable timer, in milliseconds; our choice. */
const SHORT_WAIT_MS = 1_000;

/** One visit under way: what it has done and how much of its budget is left. */
export interface Stay {
  readonly budget: VisitBudget;
  readonly startedAtMs: number;
  /** Aborted when the visit should end after the present page. */
  readonly ending: AbortSignal;
  /** Shown in the web UI while the visit is pending. */
  readonly showing: (details: { readonly doing: string; readonly url?: string }) => void;
  /** Names looked up by this visit, outside the lease. */
  readonly names: Map<string, Resolution>;
  /** Of this visit, by crawl; only of crawls that keep any. */
  readonly cookies: Map<number, Cookies>;
  readonly notes: VisitNote[];
  requests: number;
}

/** The cookies of a crawl in this visit; none where the crawl keeps none. */
export function cookiesOf(
  { cookies }: Stay,
  { crawlId, settings }: Pick<ClaimedUrl, 'crawlId' | 'settings'>,
): Cookies | undefined {
  if (!settings.cookies) return undefined;
  const kept = cookies.get(crawlId) ?? createCookies();
  cookies.set(crawlId, kept);
  return kept;
}

/** Whether the visit may send another request. */
export function mayGoOn(stay: Stay): boolean {
  return (
    !stay.ending.aborted &&
    stay.requests < stay.budget.pages &&
    performance.now() - stay.startedAtMs < stay.budget.ms
  );
}

/**
 * Waits inside the visit where that fits its budget: any gap between two of its pages, and less than a second before
 * its first. `false` where the wait is the workflow's, as a durable timer.
 */
export async function waitedHere(stay: Stay, waitMs: number): Promise<boolean> {
  const leftMs = stay.budget.ms - (performance.now() - stay.startedAtMs);
  const fits = stay.requests === 0 ? waitMs < SHORT_WAIT_MS : waitMs <= leftMs;
  if (!mayGoOn(stay) || !fits) return false;
  stay.showing({ doing: `waiting ${String(Math.round(waitMs))} ms` });
  try {
    await pause(waitMs, undefined, { signal: stay.ending });
    return true;
  } catch {
    return false;
  }
}
