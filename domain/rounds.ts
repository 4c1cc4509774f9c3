/** What one round of admit, pull and feed found. */
export interface RoundFindings {
  /** Outbox rows taken. */
  readonly rows: number;
  readonly admitted: number;
  readonly fedHosts: number;
  readonly quiet: boolean;
  readonly busy: boolean;
}

/** Between two rounds that both found work: long enough for links to come in batches. Our choice. */
const WORKING_PAUSE_MS = 250;
/** While an assigned row or an outbox row is left: a page may bring links at any time. */
const BUSY_PAUSE_MS = 1_000;
/** Where nothing is under way; a seed, a resume and a changed setting wake the prioritizer. */
const LONGEST_PAUSE_MS = 15_000;

/** Milliseconds until the next round; grows to 15 s only where nothing is queued, assigned or waiting to be admitted. */
export function roundPauseMs({ rows, fedHosts, busy }: RoundFindings, lastPauseMs: number): number {
  if (rows > 0 || fedHosts > 0) return WORKING_PAUSE_MS;
  if (busy) return BUSY_PAUSE_MS;
  return Math.min(Math.max(lastPauseMs * 2, BUSY_PAUSE_MS), LONGEST_PAUSE_MS);
}
