import type { RequestUrl } from './request-url.ts';

/**
 * Which sign of a space of endless URLs a URL bears (R24, IIR §20.1.1): each is a rule that can be told of, and
 * switched off by its limit.
 *
 * - `segments`: the path has more segments than `segments`.
 * - `repeatedSegments`: the same run of segments stands more than `segmentRepeats` times in a row (`/a/b/a/b/a/b/`).
 * - `parameters`: the query has more parameters than `parameters`.
 * - `repeatedParameters`: the query says the very same more than `parameterRepeats` times (`?a=1&a=1&a=1`).
 * - `calendar`: a page of a calendar, further than `calendarYears` from now.
 */
export type TrapReason =
  'segments' | 'repeatedSegments' | 'parameters' | 'repeatedParameters' | 'calendar';

/** The most that is no trap; `null` switches a rule off. */
export interface TrapLimits {
  readonly segments: number | null;
  readonly segmentRepeats: number | null;
  readonly parameters: number | null;
  readonly parameterRepeats: number | null;
  readonly calendarYears: number | null;
}

/**
 * Our choice, on the side of fetching: Heritrix stops at 20 segments and at a segment's third time in a row; sites with
 * honest queries of 30 parameters are unknown to us.
 */
export const DEFAULT_TRAP_LIMITS: TrapLimits = {
  segments: 20,
  segmentRepeats: 2,
  parameters: 30,
  parameterRepeats: 2,
  calendarYears: 5,
};

/**
 * The first sign of a trap, if there is one. Takes time in proportion to the URL, so that a long one is no trap of
 * another kind. `nowMs` is milliseconds since 1970.
 */
export function trapReason(
  url: RequestUrl,
  limits: TrapLimits,
  nowMs: number,
): TrapReason | undefined {
  const { segments, parameters } = partsOf(url);
  if (exceeds(segments.length, limits.segments)) return 'segments';
  if (limits.segmentRepeats !== null && repeatsRuns(segments, limits.segmentRepeats)) {
    return 'repeatedSegments';
  }
  if (exceeds(parameters.length, limits.parameters)) return 'parameters';
  if (exceeds(mostEqual(parameters), limits.parameterRepeats)) return 'repeatedParameters';
  if (limits.calendarYears !== null && isFarCalendarPage(url, limits.calendarYears, nowMs)) {
    return 'calendar';
  }
  return undefined;
}

function exceeds(count: number, limit: number | null): boolean {
  return limit !== null && count > limit;
}

function partsOf(url: RequestUrl): {
  readonly segments: readonly string[];
  readonly parameters: readonly string[];
} {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const [before = '', ...query] = path.split('?');
  return {
    segments: before.split('/').filter((segment) => segment !== ''),
    parameters: query
      .join('?')
      .split('&')
      .filter((parameter) => parameter !== ''),
  };
}

/** The longest run that is looked for; longer ones are stopped by the number of segments. */
const LONGEST_RUN = 5;

/** Whether a run of segments, not of digits alone (`/0/0/0/` files things away), stands more than `times` in a row. */
function repeatsRuns(segments: readonly string[], times: number): boolean {
  for (let length = 1; length <= LONGEST_RUN; length += 1) {
    let equal = 0;
    let hasWord = false;
    for (let at = length; at < segments.length; at += 1) {
      const isEqual = segments[at] === segments[at - length];
      equal = isEqual ? equal + 1 : 0;
      hasWord = isEqual && (hasWord || /\D/u.test(segments[at] ?? ''));
      if (hasWord && equal >= length * times) return true;
    }
  }
  return false;
}

/** How often the most frequent parameter stands there, name and value taken together. */
function mostEqual(parameters: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const parameter of parameters) counts.set(parameter, (counts.get(parameter) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const CALENDAR_WORD =
  /calendar|kalender|calendrier|calendario|tribe-bar-date|(?:^|[/?&=._-])(?:cal|events?|agenda|month|week|day|date|year)(?=$|[/?&=._-])/iu;

/** A year with a month behind it, or called one. */
const YEAR = /(?:(?<![\d])(\d{4})[-/](?:0?[1-9]|1[0-2])(?!\d)|\b(?:year|yr|y)[=/](\d{4})(?!\d))/giu;

const MEAN_YEAR_MS = 31_556_952_000;

function isFarCalendarPage(url: RequestUrl, years: number, nowMs: number): boolean {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  if (!CALENDAR_WORD.test(path)) return false;
  const thisYear = Math.floor(1970 + nowMs / MEAN_YEAR_MS);
  return [...path.matchAll(YEAR)].some(
    ([, dated, called]) => Math.abs(Number(dated ?? called) - thisYear) > years,
  );
}
