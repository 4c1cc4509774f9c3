import type { RequestUrl } from './request-url.ts';

/** A priority class: 1 is the most urgent, at most 8 (R1). */
export type Band = number;

/** How many bands a crawl may have (R1). */
export const MOST_BANDS = 8;

/** How likely a band is to be drawn, in proportion to the other weights. */
export interface BandWeight {
  readonly band: Band;
  readonly weight: number;
}

/** What the default prioritizer rule looks at. */
export interface BandEvidence {
  readonly url: RequestUrl;
  /** Links followed from the nearest seed. */
  readonly depth: number;
  /** Whether its last visit found it changed; absent before a second visit. */
  readonly changedAtLastVisit?: boolean | undefined;
  /** The page, sitemap or robots.txt that named it first; absent for a seed. */
  readonly foundOn?: string | undefined;
  /** From 0 to 1, as a sitemap says. */
  readonly sitemapPriority?: number | undefined;
  /** How many bands the crawl has; what belongs below the last goes into the last. */
  readonly bands: number;
}

/** The default prioritizer rule (R2): home pages and changing pages first, then pages near the seeds, then the rest. */
export function bandOf({ url, depth, changedAtLastVisit = false, bands }: BandEvidence): Band {
  if (changedAtLastVisit || isHomePage(url)) return 1;
  return Math.min(depth <= 2 ? 2 : 3, bands);
}

/** The default bias (R3): each band is half as likely as the one above it. */
export function defaultWeights(bands: number): BandWeight[] {
  return Array.from({ length: bands }, (_, index) => ({ band: index + 1, weight: 2 ** -index }));
}

/** The least share of the draws that a band gets while all have work; our choice, under R3's least of eight (0.4 %). */
export const LEAST_SHARE = 0.002;

/**
 * The weights of a crawl's bands: as set, one a band, else the default ones. However little a band was given, it keeps
 * the least share, so that none starves (R3).
 */
export function bandWeights({
  bands,
  weights,
}: {
  readonly bands: number;
  readonly weights: readonly number[];
}): readonly BandWeight[] {
  const set = weights.map((weight, index) => ({ band: index + 1, weight }));
  const wished = set.length === bands ? set : defaultWeights(bands);
  const least = LEAST_SHARE * wished.reduce((sum, { weight }) => sum + weight, 0);
  return wished.map(({ band, weight }) => ({ band, weight: Math.max(weight, least) }));
}

/**
 * The band lottery (IIR §20.2.3, biased front queue selector): draws one of the given bands by weight; `undefined`
 * where none has a weight. Give it only bands that have work.
 *
 * `random` is uniform in [0, 1) and drawn by the caller, so a seeded run repeats its choices.
 */
export function pickBand(weights: readonly BandWeight[], random: number): Band | undefined {
  const drawable = weights.filter(({ weight }) => weight > 0);
  let mark = random * drawable.reduce((sum, { weight }) => sum + weight, 0);
  for (const { band, weight } of drawable) {
    mark -= weight;
    if (mark < 0) return band;
  }
  // Only rounding leads past the last band.
  return drawable.at(-1)?.band;
}

/**
 * How many of `draws` places each of the bands that have work gets, by weight, each place drawn for itself. Empty where
 * no band has work.
 */
export function drawBands(
  weights: readonly BandWeight[],
  bands: readonly Band[],
  draws: number,
  random: () => number,
): ReadonlyMap<Band, number> {
  const drawable = weights.filter(({ band }) => bands.includes(band));
  const drawn = new Map<Band, number>();
  for (let draw = 0; draw < draws; draw += 1) {
    const band = pickBand(drawable, random());
    if (band !== undefined) drawn.set(band, (drawn.get(band) ?? 0) + 1);
  }
  return drawn;
}

function isHomePage(url: RequestUrl): boolean {
  const { pathname, search } = new URL(url);
  return pathname === '/' && search === '';
}
