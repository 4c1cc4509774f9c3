import type {
  Hold,
  HoldOrder,
  VisitBudget,
  VisitNote,
  VisitResult,
} from '../activities/contract.ts';
import type { HostState } from '../domain/crawl-state.ts';
import { formatDuration } from '../domain/duration.ts';
import type { HostView } from './messages.ts';

/** What a host's workflow is given, and hands on when it continues as new: all of its state. */
export interface HostInput {
  readonly hostId: number;
  readonly hostKey: string;
  readonly budget?: VisitBudget;
  readonly hold?: Hold | null;
  readonly state?: HostState;
  readonly since?: string;
  readonly waitMs?: number;
  readonly requests?: number;
  readonly notes?: readonly VisitNote[];
  readonly draining?: boolean;
  readonly fed?: boolean;
}

/** A host's back queue as its workflow sees it; the URLs themselves stay in Postgres. */
export interface BackQueue {
  readonly hostId: number;
  readonly hostKey: string;
  budget: VisitBudget;
  hold: Hold | null;
  /** What the workflow has last told the world that it is doing. */
  state: HostState;
  since: string;
  /** How long the host is to be left alone, as the last visit found it. */
  waitMs: number;
  requests: number;
  notes: readonly VisitNote[];
  draining: boolean;
  refreshing: boolean;
  /** A feed came since the last visit began. */
  fed: boolean;
  /** Orders to pause and resume that were written in this run. */
  ordersObeyed: number;
  /** Ends the present wait early; set while one lasts. */
  interrupt: (() => void) | undefined;
  /** Orders to pause and resume, written one after the other. */
  orders: Promise<void>;
}

/** One page a visit: the clearest history, and what a host gets that was started by hand. */
const SMALLEST_BUDGET: VisitBudget = { pages: 1, ms: 60_000 };

/** Requests that `inspect` shows; our choice. */
const NOTES_KEPT = 20;

export function restore(input: HostInput, nowIso: string): BackQueue {
  return {
    hostId: input.hostId,
    hostKey: input.hostKey,
    budget: input.budget ?? SMALLEST_BUDGET,
    hold: input.hold ?? null,
    state: input.state ?? 'idle',
    since: input.since ?? nowIso,
    waitMs: input.waitMs ?? 0,
    requests: input.requests ?? 0,
    notes: input.notes ?? [],
    draining: input.draining ?? false,
    refreshing: false,
    fed: input.fed ?? false,
    ordersObeyed: 0,
    interrupt: undefined,
    orders: Promise.resolve(),
  };
}

/** The whole state, for the next run. */
export function carry(back: BackQueue): HostInput {
  const { hostId, hostKey, budget, hold, state, since, waitMs, requests, notes, draining, fed } =
    back;
  return { hostId, hostKey, budget, hold, state, since, waitMs, requests, notes, draining, fed };
}

/**
 * Takes a visit's result in. A hold that the visit met counts only where no order was obeyed since the visit began
 * (`ordersObeyed` of then): it may have been lifted meanwhile.
 */
export function note(
  back: BackQueue,
  { next, requests, notes }: VisitResult,
  ordersObeyed: number,
): void {
  back.requests += requests;
  back.notes = [...back.notes, ...notes].slice(-NOTES_KEPT);
  back.waitMs = 'waitMs' in next ? next.waitMs : 0;
  if (next.kind === 'held' && back.ordersObeyed === ordersObeyed) back.hold = next.hold;
}

/** The state that a visit's result leaves the host in. */
export function stateAfter({ next }: VisitResult): HostState {
  switch (next.kind) {
    case 'again':
      return 'live';
    case 'resting':
    case 'robots':
    case 'held':
      return next.kind;
    case 'empty':
      return 'idle';
  }
}

export function view(back: BackQueue): HostView {
  const { hostKey, state, since, hold, budget, requests, waitMs, notes } = back;
  return { host: hostKey, state, since, hold, budget, requests, waitMs, lastNotes: notes };
}

/** A small table for the web UI's "current details". */
export function details(back: BackQueue): string {
  const last = back.notes.at(-1);
  const rows: [string, string][] = [
    ['state', `${back.state} since ${back.since}`],
    [
      'next request',
      back.waitMs > 0 ? `in ${formatDuration(back.waitMs)}` : 'as soon as it is allowed',
    ],
    ['requests', String(back.requests)],
    ['pages a visit', String(back.budget.pages)],
    ['last', last === undefined ? 'nothing yet' : `${last.url} (${last.outcome})`],
  ];
  if (back.hold !== null) rows.push(['held', `by ${back.hold.who}: ${back.hold.why}`]);
  const lines = rows.map(
    ([name, value]) => `| ${name} | ${value.replaceAll('|', '\\|').replaceAll(/\s+/gu, ' ')} |`,
  );
  return [`| ${back.hostKey} | |`, '|---|---|', ...lines].join('\n');
}

/**
 * A pause as the row's writer wants it. What a bare signal leaves out is filled in, and what it has in another type
 * than ours is left out: whoever sends `pause` wants the host left alone.
 */
export function pauseOrderOf(hostKey: string, order: unknown): HoldOrder {
  const who = textIn(order, 'who') ?? 'someone, by signal';
  const why = textIn(order, 'why') ?? 'no reason given';
  const until = textIn(order, 'until');
  return {
    hostKey,
    who,
    hold: { who, why, ...(until === undefined ? {} : { until }) },
    ...sequenceIn(order),
  };
}

/** A resume, read as leniently. */
export function resumeOrderOf(hostKey: string, order: unknown): HoldOrder {
  const who = textIn(order, 'who') ?? 'someone, by signal';
  return { hostKey, who, hold: null, ...sequenceIn(order) };
}

/** An order in a few words, for the web UI. */
export function summaryOf({ who, hold }: HoldOrder): string {
  return hold === null ? `resume by ${who}` : `pause by ${who}`;
}

function fieldIn(order: unknown, name: string): unknown {
  return typeof order === 'object' && order !== null ? Reflect.get(order, name) : undefined;
}

function textIn(order: unknown, name: string): string | undefined {
  const value = fieldIn(order, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function sequenceIn(order: unknown): { readonly sequence?: number } {
  const value = fieldIn(order, 'sequence');
  return typeof value === 'number' ? { sequence: value } : {};
}
