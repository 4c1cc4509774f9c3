import type { RequestUrl } from './request-url.ts';

/**
 * Which sign of a space of endless URLs a URL bears (R24, IIR §20.1.1): each is a rule that can be told of, and
 * switched off by its limit.
 *
 * - `segments`: the path has more segments than `maxSegments`.
 * - `repeatedSegments`: the same run of segments stands more than `maxSegmentRepeats` times in a row (`/a/b/a/b/a/b/`).
 * - `parameters`: the query has more parameters than `maxParameters`.
 * - `repeatedParameters`: the query says the very same more than `maxParameterRepeats` times (`?a=1&a=1&a=1`).
 * - `calendar`: a page of a calendar, further than `calendarYears` from now.
 */
export type TrapReason =
  'segments' | 'repeatedSegments' | 'parameters' | 'repeatedParameters' | 'calendar';

/** The most that is no trap; `null` switches a rule off. */
export interface TrapLimits {
  readonly maxSegments: number | null;
  readonly maxSegmentRepeats: number | null;
  readonly maxParameters: number | null;
  readonly maxParameterRepeats: number | null;
  readonly calendarYears: number | null;
}

/** A sign of a trap with what was found, for people. */
export interface TrapSign {
  readonly reason: TrapReason;
  /** How many there are, or the run of segments, or the year. */
  readonly found: number | string;
  readonly limit: number;
}

/**
 * Our choice, on the side of fetching: Heritrix stops at 20 segments and at a segment's third time in a row; sites with
 * honest queries of 30 parameters are unknown to us.
 */
export const DEFAULT_TRAP_LIMITS = {
  maxSegments: 20,
  maxSegmentRepeats: 2,
  maxParameters: 30,
  maxParameterRepeats: 2,
  calendarYears: 5,
} as const satisfies TrapLimits;

/**
 * The first sign of a trap, if there is one. Takes time in proportion to the URL, so that a long one is no trap of
 * another kind. `nowMs` is milliseconds since 1970.
 */
export function trapSign(url: RequestUrl, limits: TrapLimits, nowMs: number): TrapSign | undefined {
  const { maxSegments, maxSegmentRepeats, maxParameters, maxParameterRepeats, calendarYears } =
    limits;
  const { segments, parameters } = partsOf(url);
  return (
    over('segments', segments.length, maxSegments) ??
    signOf('repeatedSegments', maxSegmentRepeats, (most) => repeatedRun(segments, most)) ??
    over('parameters', parameters.length, maxParameters) ??
    over('repeatedParameters', mostEqual(parameters), maxParameterRepeats) ??
    signOf('calendar', calendarYears, (years) => farYear(url, years, nowMs))
  );
}

/** The same, as the rule's name only. */
export function trapReason(
  url: RequestUrl,
  limits: TrapLimits,
  nowMs: number,
): TrapReason | undefined {
  return trapSign(url, limits, nowMs)?.reason;
}

function over(reason: TrapReason, count: number, limit: number | null): TrapSign | undefined {
  return signOf(reason, limit, (most) => (count > most ? count : undefined));
}

function signOf(
  reason: TrapReason,
  limit: number | null,
  find: (limit: number) => number | string | undefined,
): TrapSign | undefined {
  const found = limit === null ? undefined : find(limit);
  return found === undefined || limit === null ? undefined : { reason, found, limit };
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

/** A run of segments, not of digits alone (`/0/0/0/` files things away), that stands more than `times` in a row. */
function repeatedRun(segments: readonly string[], times: number): string | undefined {
  for (let length = 1; length <= LONGEST_RUN; length += 1) {
    let equal = 0;
    let hasWord = false;
    for (let at = length; at < segments.length; at += 1) {
      const isEqual = segments[at] === segments[at - length];
      equal = isEqual ? equal + 1 : 0;
      hasWord = isEqual && (hasWord || /\D/u.test(segments[at] ?? ''));
      if (hasWord && equal >= length * times) {
        return `/${segments.slice(at + 1 - length, at + 1).join('/')}`;
      }
    }
  }
  return undefined;
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

/** The first year of a calendar's page that lies more than `years` from now. */
function farYear(url: RequestUrl, years: number, nowMs: number): number | undefined {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  if (!CALENDAR_WORD.test(path)) return undefined;
  const thisYear = Math.floor(1970 + nowMs / MEAN_YEAR_MS);
  return [...path.matchAll(YEAR)]
    .map(([, dated, called]) => Number(dated ?? called))
    .find((year) => Math.abs(year - thisYear) > years);
}
