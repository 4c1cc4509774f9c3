import type { HostClock } from '../db/claim.ts';
import type { HostSettlement } from '../db/settle.ts';
import { healthAfter, hostRestMs, retryAfterMs, type HostHealth } from '../domain/backoff.ts';
import { addressRefusal } from '../domain/address-rules.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import { paceOf, politenessGapMs, STRANGERS_MIN_GAP_MS } from '../domain/gap.ts';
import type { FetchOutcome } from '../domain/outcome.ts';

/** A request that was sent, as far as the host's clock is concerned. */
export interface SentRequest {
  readonly outcome: FetchOutcome;
  readonly fetchMs: number;
  /** In the time of `performance.now()`. */
  readonly endedAtMs: number;
}

/** What a request leaves its host with, before the time since its end is taken off. */
export interface HostDebt {
  readonly health: HostHealth;
  readonly gapMs: number;
  /** Retry-After or a rest; 0 where there is none. */
  readonly blockMs: number;
  readonly fetchMs: number;
  readonly endedAtMs: number;
}

/** The gap by the crawl's settings, `Retry-After` and the rest that a failing host gets (R9, R10, R18, R27). */
export function debtAfter(
  settings: CrawlSettings,
  clock: HostClock,
  { outcome, fetchMs, endedAtMs }: SentRequest,
): HostDebt {
  const health = healthAfter(clock, outcome);
  const { crawlDelayMs } = clock;
  const gapMs = politenessGapMs(settings, {
    fetchMs,
    crawlDelayMs,
    backoffLevel: health.backoffLevel,
  });
  const askedMs =
    outcome.kind === 'putOff' ? (retryAfterMs(outcome.retryAfter, Date.now()) ?? 0) : 0;
  return { health, gapMs, blockMs: Math.max(askedMs, hostRestMs(health)), fetchMs, endedAtMs };
}

/** Milliseconds from now until the host may be asked again. */
export function owedNowMs({ gapMs, blockMs, endedAtMs }: HostDebt): number {
  return Math.max(gapMs, blockMs) - (performance.now() - endedAtMs);
}

/** The debt as it is written now. */
export function hostSettlementNow(debt: HostDebt): HostSettlement {
  const { health, gapMs, blockMs, fetchMs, endedAtMs } = debt;
  const blockedMs = blockMs > 0 ? blockMs - (performance.now() - endedAtMs) : null;
  return { owedMs: owedNowMs(debt), gapMs, fetchMs, blockedMs, health };
}

/** The gap that a request of that length would leave, for booking while it lasts. */
export function bookedGapMs(settings: CrawlSettings, clock: HostClock, fetchMs: number): number {
  const { crawlDelayMs, backoffLevel } = clock;
  return politenessGapMs(settings, { fetchMs, crawlDelayMs, backoffLevel });
}

/**
 * The settings as they hold for a host at these addresses: with the gap that its policy names, and a gap under a second
 * for private addresses only (R9).
 */
export function settingsAt(
  crawlSettings: CrawlSettings,
  { policyGapMs }: Pick<HostClock, 'policyGapMs'>,
  addresses: readonly string[],
): CrawlSettings {
  const settings = paceOf(crawlSettings, policyGapMs);
  const isPrivate = (address: string): boolean =>
    addressRefusal(address, { allowPrivate: false }) !== undefined;
  if (settings.minGapMs >= STRANGERS_MIN_GAP_MS || addresses.every(isPrivate)) return settings;
  return { ...settings, minGapMs: STRANGERS_MIN_GAP_MS };
}
