import type { Offence, SeenRequest } from './web-requests.ts';

/** The politeness that a crawl is held to (R9). */
export interface PolitenessLaw {
  readonly minGapMs: number;
  /** Multiple of the last request's time, as the server saw it; no ceiling. */
  readonly gapFactor: number;
  /** How much sooner than owed still passes; 5 by default. A client's own times are longer, so it needs little. */
  readonly toleranceMs?: number;
  /**
   * The same after a request that the client cut; 50 by default, since the server hears of such an end only when its
   * event loop gets round to it.
   */
  readonly cutToleranceMs?: number;
  /** Highest `Crawl-delay` that is owed between pages (R18); 60,000 by default, 0 to leave it out. */
  readonly crawlDelayCapMs?: number;
}

/** What a host's owner asks for. */
export interface HostRules {
  /** The `Crawl-delay` of its robots.txt; 0 where there is none. */
  readonly crawlDelayMs: number;
}

/** The gap kept before a request, next to the gap that was owed. */
export interface Gap {
  readonly earlier: SeenRequest;
  readonly request: SeenRequest;
  readonly gapMs: number;
  readonly owedMs: number;
  readonly toleranceMs: number;
}

export const DEFAULT_TOLERANCE_MS = 5;

/** The gaps between one host's requests; a pair that overlaps has none. */
export function gapsIn(
  sequence: readonly SeenRequest[],
  law: PolitenessLaw,
  rules: HostRules,
): readonly Gap[] {
  return sequence.slice(1).flatMap((request, index): readonly Gap[] => {
    const earlier = sequence[index];
    const ending = earlier?.ending;
    if (earlier === undefined || ending === undefined) return [];
    if (ending.endMs > request.startMs) return [];

    const gapMs = request.startMs - ending.endMs;
    const owedMs = owedMsAfter(earlier, ending.endMs - earlier.startMs, law, rules);
    const toleranceMs =
      ending.kind === 'cut'
        ? (law.cutToleranceMs ?? DEFAULT_CUT_TOLERANCE_MS)
        : (law.toleranceMs ?? DEFAULT_TOLERANCE_MS);
    return [{ earlier, request, gapMs, owedMs, toleranceMs }];
  });
}

/** The gaps that were too short. */
export function gapOffences(gaps: readonly Gap[]): readonly Offence[] {
  return gaps
    .filter(({ gapMs, owedMs, toleranceMs }) => gapMs < owedMs - toleranceMs)
    .map(({ earlier, request, gapMs, owedMs }) => ({
      earlier,
      request,
      text: `${request.url} asked ${Math.round(gapMs)} ms after ${earlier.path}, owed ${Math.round(owedMs)} ms`,
    }));
}

const DEFAULT_CUT_TOLERANCE_MS = 50;
const DEFAULT_CRAWL_DELAY_CAP_MS = 60_000;

/** After robots.txt itself no delay is owed yet: its answer is what tells the client of it. */
function owedMsAfter(
  earlier: SeenRequest,
  tookMs: number,
  law: PolitenessLaw,
  rules: HostRules,
): number {
  const capMs = law.crawlDelayCapMs ?? DEFAULT_CRAWL_DELAY_CAP_MS;
  const delayMs = earlier.purpose === 'robots' ? 0 : Math.min(rules.crawlDelayMs, capMs);
  return Math.max(law.minGapMs, law.gapFactor * tookMs, delayMs);
}
