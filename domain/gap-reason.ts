import { FAILURES_BEFORE_REST } from './backoff.ts';
import { formatDuration } from './duration.ts';
import { instantText } from './instant.ts';
import { politenessGapMs, STRANGERS_MIN_GAP_MS, type PolitenessPolicy } from './gap.ts';
import type { PolicyBlock } from './host-policy.ts';

/** What a host's row remembers of its last request. */
export interface PaceFacts {
  readonly gapMs: number;
  readonly fetchMs: number;
  /** Of its robots.txt. */
  readonly crawlDelayMs: number;
  readonly backoffLevel: number;
  readonly failuresInARow: number;
  /** While `Retry-After` or a rest lasts: until when. */
  readonly blockedUntil: Date | null;
  /** Of the crawl for which it was asked last; `null` where that was removed. */
  readonly policy: PolitenessPolicy | null;
  /** The gap that the operator has named for it; `null`: none. */
  readonly policyGapMs: number | null;
  /** While its policy leaves it alone: until when, and why. */
  readonly policyBlock: { readonly until: Date; readonly by: PolicyBlock } | null;
}

/**
 * What a gap was before any doubling. `unasked`: no request was sent yet. `formerRules`: the settings or the host's
 * robots.txt have changed since, so that nothing known now gives this gap.
 */
export type GapBase =
  | { readonly kind: 'unasked' }
  | { readonly kind: 'fetchTime'; readonly gapFactor: number; readonly fetchMs: number }
  | { readonly kind: 'minimum'; readonly minGapMs: number }
  | { readonly kind: 'policy'; readonly policyGapMs: number }
  | { readonly kind: 'crawlDelay'; readonly crawlDelayMs: number }
  | { readonly kind: 'formerRules' };

/** Why a host is left alone for longer than its gap. */
export type BlockReason =
  | { readonly kind: 'rest'; readonly failuresInARow: number; readonly until: Date }
  | { readonly kind: 'retryAfter'; readonly until: Date }
  | { readonly kind: 'policy'; readonly by: PolicyBlock; readonly until: Date };

/** How the time until a host's next request came about. */
export interface GapReason {
  readonly base: GapBase;
  /** How many times answers of 429 and 503 have doubled it. */
  readonly doublings: number;
  readonly block: BlockReason | null;
}

/**
 * How a host's gap came about (R9, R10, R18, R27, R45). The row has the gap and what it was made of, but not which part
 * won: each rule is asked which gap it would have given. A rest follows failures in a row, which a `Retry-After` ends,
 * so the two never meet.
 */
export function gapReason(facts: PaceFacts): GapReason {
  const { backoffLevel, failuresInARow, blockedUntil: until, policyBlock } = facts;
  const ofHost = until === null ? null : blockReason(failuresInARow, until);
  const ofPolicy = policyBlock === null ? null : ({ kind: 'policy', ...policyBlock } as const);
  const block = later(ofHost, ofPolicy);
  return { base: baseOf(facts), doublings: backoffLevel, block };
}

/** The reason in a few words: `10 × 400 ms, ×4 after 429 or 503`; with a block, that comes first. */
export function gapReasonText({ base, doublings, block }: GapReason): string {
  const doubled = doublings > 0 ? [`×${String(2 ** doublings)} after 429 or 503`] : [];
  const blocked = block === null ? [] : [blockText(block)];
  return [...blocked, baseText(base), ...doubled].join(', ');
}

/** The time that a number of URLs takes a host, in milliseconds: pages × gap (R45); `null` before its first gap is known. */
export function timeLeftMs(urls: number, gapMs: number): number | null {
  if (urls === 0) return 0;
  return gapMs > 0 ? urls * gapMs : null;
}

/** Of two blocks the one that ends last is what keeps the host. */
function later(a: BlockReason | null, b: BlockReason | null): BlockReason | null {
  if (a === null || b === null) return a ?? b;
  return a.until >= b.until ? a : b;
}

function blockReason(failuresInARow: number, until: Date): BlockReason {
  return failuresInARow >= FAILURES_BEFORE_REST
    ? { kind: 'rest', failuresInARow, until }
    : { kind: 'retryAfter', until };
}

function baseOf(facts: PaceFacts): GapBase {
  const { gapMs, fetchMs, policy } = facts;
  if (gapMs === 0 && fetchMs === 0) return { kind: 'unasked' };
  return candidates(facts, policy).find((base) => gives(base, facts)) ?? { kind: 'formerRules' };
}

/** Floors first: they are exact, where a multiple of a rounded time may meet them by chance. */
function candidates(
  { fetchMs, crawlDelayMs, policyGapMs }: PaceFacts,
  policy: PolitenessPolicy | null,
): readonly GapBase[] {
  const strangers: GapBase = { kind: 'minimum', minGapMs: STRANGERS_MIN_GAP_MS };
  if (policy === null) return [strangers];
  const { minGapMs, gapFactor, crawlDelayCapMs } = policy;
  const askedMs = Math.min(crawlDelayMs, crawlDelayCapMs);
  return [
    ...(policyGapMs === null ? [] : [{ kind: 'policy', policyGapMs } as const]),
    ...(askedMs > 0 ? [{ kind: 'crawlDelay', crawlDelayMs: askedMs } as const] : []),
    { kind: 'minimum', minGapMs },
    strangers,
    { kind: 'fetchTime', gapFactor, fetchMs },
  ];
}

/** Whether this base, doubled as the host's was, is its gap. The row has the fetch's time in whole milliseconds. */
function gives(base: GapBase, { gapMs, backoffLevel }: PaceFacts): boolean {
  const toleranceMs = base.kind === 'fetchTime' ? (base.gapFactor / 2) * 2 ** backoffLevel + 1 : 0;
  return Math.abs(doubledMs(msOf(base), backoffLevel) - gapMs) <= toleranceMs;
}

function msOf(base: GapBase): number {
  switch (base.kind) {
    case 'fetchTime':
      return base.gapFactor * base.fetchMs;
    case 'minimum':
      return base.minGapMs;
    case 'policy':
      return base.policyGapMs;
    case 'crawlDelay':
      return base.crawlDelayMs;
    case 'unasked':
    case 'formerRules':
      return 0;
  }
}

function doubledMs(baseMs: number, backoffLevel: number): number {
  const policy = { minGapMs: baseMs, gapFactor: 0, crawlDelayCapMs: 0 };
  return politenessGapMs(policy, { fetchMs: 0, backoffLevel });
}

function baseText(base: GapBase): string {
  switch (base.kind) {
    case 'unasked':
      return 'not asked yet';
    case 'fetchTime':
      return `${String(base.gapFactor)} × ${formatDuration(base.fetchMs)}`;
    case 'minimum':
      return `minimum ${formatDuration(base.minGapMs)}`;
    case 'policy':
      return `policy ${formatDuration(base.policyGapMs)}`;
    case 'crawlDelay':
      return `Crawl-delay ${formatDuration(base.crawlDelayMs)}`;
    case 'formerRules':
      return 'by earlier settings or robots.txt';
  }
}

function blockText(block: BlockReason): string {
  const until = `until ${instantText(block.until)}`;
  switch (block.kind) {
    case 'rest':
      return `rest after ${String(block.failuresInARow)} failures ${until}`;
    case 'retryAfter':
      return `Retry-After ${until}`;
    case 'policy':
      return `policy (${block.by}) ${until}`;
  }
}
