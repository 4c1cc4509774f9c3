import { parseHttpDateMs } from './http-date.ts';
import type { FailureReason, FetchOutcome } from './outcome.ts';

/** How a host has been answering lately; kept in its control row, so that it survives every restart (R12). */
export interface HostHealth {
  /** How many times the gap is doubled. */
  readonly backoffLevel: number;
  /** Good answers in a row while the level is above 0. */
  readonly goodAnswers: number;
  /** Connection-level failures in a row. */
  readonly failuresInARow: number;
}

/** A host about which nothing bad is known. */
export const HEALTHY: HostHealth = { backoffLevel: 0, goodAnswers: 0, failuresInARow: 0 };

/** Twelve doublings take a gap of 1 s past the cap of one hour; more would only take longer to come down again. */
export const MAX_BACKOFF_LEVEL = 12;

/** Good answers in a row that lower the level by one: a single one may be luck. */
export const GOOD_ANSWERS_TO_RECOVER = 5;

/** Connection-level failures in a row after which a host is left alone for a while. */
export const FAILURES_BEFORE_REST = 5;

/** The longest rest; our choice. */
export const MAX_REST_MS = 3_600_000;

/** The longest that a host's `Retry-After` is obeyed; our choice. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * The host's health after a fetch. 429 and 503 raise the level at once; only a run of good answers lowers it (R10).
 * Another 5xx is an answer, but not a good one. Failures of our own making say nothing about the host.
 */
export function healthAfter(health: HostHealth, outcome: FetchOutcome): HostHealth {
  switch (outcome.kind) {
    case 'fetched':
    case 'unchanged':
    case 'redirected':
      return afterGoodAnswer(health);
    case 'putOff':
      return {
        backoffLevel: Math.min(health.backoffLevel + 1, MAX_BACKOFF_LEVEL),
        goodAnswers: 0,
        failuresInARow: 0,
      };
    case 'failed':
      if (isOurs(outcome.reason)) return health;
      return {
        ...health,
        goodAnswers: 0,
        failuresInARow: outcome.status === undefined ? health.failuresInARow + 1 : 0,
      };
  }
}

/**
 * How long a host that keeps failing is left alone beyond its gap, in milliseconds: nothing below five failures in a
 * row, then one minute, doubled by each further failure up to one hour. One request after each rest probes the host.
 */
export function hostRestMs({ failuresInARow }: HostHealth): number {
  if (failuresInARow < FAILURES_BEFORE_REST) return 0;
  return Math.min(60_000 * 2 ** (failuresInARow - FAILURES_BEFORE_REST), MAX_REST_MS);
}

/**
 * How long `Retry-After` asks us to wait, in milliseconds: whole seconds or an HTTP date (RFC 9110 §10.2.3). 0 for a
 * date that has passed, at most a day, `undefined` for anything else.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const waitMs = /^\d+$/u.test(text) ? Number(text) * 1_000 : dateWaitMs(text, nowMs);
  return waitMs === undefined
    ? undefined
    : Math.ceil(Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS));
}

function afterGoodAnswer({ backoffLevel, goodAnswers }: HostHealth): HostHealth {
  if (backoffLevel === 0) return HEALTHY;
  if (goodAnswers + 1 < GOOD_ANSWERS_TO_RECOVER) {
    return { backoffLevel, goodAnswers: goodAnswers + 1, failuresInARow: 0 };
  }
  return { backoffLevel: backoffLevel - 1, goodAnswers: 0, failuresInARow: 0 };
}

/** Our own rules, our own database, and our own choice of protocol. */
const OURS: ReadonlySet<FailureReason> = new Set([
  'leaseLost',
  'addressRefused',
  'portRefused',
  'http1Required',
]);

function isOurs(reason: FailureReason): boolean {
  return OURS.has(reason);
}

function dateWaitMs(text: string, nowMs: number): number | undefined {
  const dateMs = parseHttpDateMs(text, nowMs);
  return dateMs === undefined ? undefined : dateMs - nowMs;
}
