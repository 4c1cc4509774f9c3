import { defineQuery, defineSignal } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Hold, VisitBudget, VisitNote } from '../activities/contract.ts';
import type { HostState } from '../domain/crawl-state.ts';

/** The search attributes by which hosts are found in the web UI. */
export const CrawlHost = defineSearchAttributeKey('CrawlHost', SearchAttributeType.KEYWORD);
export const CrawlState = defineSearchAttributeKey('CrawlState', SearchAttributeType.KEYWORD);

/** New URLs lie in the host's back queue. */
export interface Feed {
  readonly batch: string;
  readonly count: number;
  readonly budget: VisitBudget;
}

/**
 * An order to leave a host alone. Every field may be missing: a person can send the bare signal from the web UI.
 * `sequence` is set where the order stands in the host's row already.
 */
export interface PauseOrder {
  readonly who?: string;
  readonly why?: string;
  /** ISO 8601. */
  readonly until?: string;
  readonly sequence?: number;
}

export interface ResumeOrder {
  readonly who?: string;
  readonly sequence?: number;
}

export const feed = defineSignal<[Feed?]>('feed');
export const pause = defineSignal<[PauseOrder?]>('pause');
export const resume = defineSignal<[ResumeOrder?]>('resume');
/** Serve what is assigned, then end without waiting for more. */
export const drain = defineSignal('drain');
/** Continue as new at the next chance, to take up new code. */
export const refresh = defineSignal('refresh');

/** Everything that a host's workflow knows, for people. */
export interface HostView {
  readonly host: string;
  readonly state: HostState;
  readonly since: string;
  readonly hold: Hold | null;
  readonly budget: VisitBudget;
  readonly requests: number;
  readonly waitMs: number;
  readonly lastNotes: readonly VisitNote[];
}

export const inspect = defineQuery<HostView>('inspect');

/** To a prioritizer: there may be work. */
export const wake = defineSignal('wake');
/** To a prioritizer, from its crawl: a stop that came before is taken back. */
export const proceed = defineSignal('proceed');
/** To a prioritizer: end after this round. To a crawl: end, so that it can be resumed. */
export const stop = defineSignal('stop');
/** To a crawl, from a prioritizer: a round found nothing left to do. */
export const quiet = defineSignal('quiet');
