/** What a crawl or a host's own policy says about gaps. */
export interface PolitenessPolicy {
  readonly minGapMs: number;
  /** Multiple of the last fetch's duration (Mercator's 10). */
  readonly gapFactor: number;
  /** The most that a robots.txt may ask for. */
  readonly crawlDelayCapMs: number;
}

/** The policy with the gap that the operator has named for a host, if any: it replaces the least gap and the factor. */
export function paceOf<P extends PolitenessPolicy>(policy: P, hostGapMs: number | null): P {
  return hostGapMs === null ? policy : { ...policy, minGapMs: hostGapMs, gapFactor: 0 };
}

/** What the last fetch and the host's state say about the next gap. */
export interface FetchTiming {
  /** Duration of the last request, also where it ended without an answer. */
  readonly fetchMs: number;
  readonly crawlDelayMs?: number | undefined;
  /** How many times the gap is doubled for 429 and 503 answers. */
  readonly backoffLevel?: number | undefined;
}

/** Up to where doubling may lengthen a gap: one hour (our default). */
export const DOUBLED_GAP_CAP_MS = 3_600_000;

/** The shortest gap for hosts that are not one's own, in milliseconds (R9). */
export const STRANGERS_MIN_GAP_MS = 1_000;

/**
 * The politeness gap: whole milliseconds from a fetch's end until the same host may be asked again (R9).
 *
 * A slow answer means a loaded host, so the gap grows with the last fetch (IIR §20.2.3) above a floor, without a
 * ceiling. `Crawl-delay` is no part of RFC 9309; we treat it as a floor that the site owner may raise, up to a cap
 * (R18). Backoff doubles the gap once a level (R10); its cap ends the doubling and never shortens the gap itself.
 */
export function politenessGapMs(
  { minGapMs, gapFactor, crawlDelayCapMs }: PolitenessPolicy,
  { fetchMs, crawlDelayMs = 0, backoffLevel = 0 }: FetchTiming,
): number {
  const askedMs = Math.min(crawlDelayMs, crawlDelayCapMs);
  const gapMs = Math.max(minGapMs, gapFactor * fetchMs, askedMs, 0);
  const doubledMs = Math.min(gapMs * 2 ** backoffLevel, DOUBLED_GAP_CAP_MS);
  return Math.ceil(Math.max(gapMs, doubledMs));
}
