import { daysSince1970 } from './calendar.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})`;
/** `Sun, 06 Nov 1994 08:49:37 GMT`; and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT`. */
const DAY_FIRST = new RegExp(
  String.raw`^[a-z]+,\s*(?<day>\d{1,2})[ -](?<month>[a-z]{3})[ -](?<year>\d{4}|\d{2})\s+${TIME}\s*(?:gmt|utc)?$`,
  'iu',
);
/** The obsolete `Sun Nov  6 08:49:37 1994`. */
const MONTH_FIRST = new RegExp(
  String.raw`^[a-z]+\s+(?<month>[a-z]{3})\s+(?<day>\d{1,2})\s+${TIME}\s+(?<year>\d{4})$`,
  'iu',
);

/**
 * Reads an HTTP date in any of its three forms (RFC 9110 §5.6.7): milliseconds since 1970, `undefined` for anything
 * else. A year of two digits is the latest that lies no more than 50 years after `nowMs`.
 */
export function parseHttpDateMs(text: string, nowMs: number): number | undefined {
  const groups = (DAY_FIRST.exec(text.trim()) ?? MONTH_FIRST.exec(text.trim()))?.groups;
  if (groups === undefined) return undefined;

  const number = (name: string): number => Number(groups[name]);
  const month = MONTHS.indexOf((groups['month'] ?? '').toLowerCase());
  const year = groups['year']?.length === 2 ? fullYear(number('year'), nowMs) : number('year');
  const [day, hour, minute, second] = [
    number('day'),
    number('hour'),
    number('minute'),
    number('second'),
  ];
  if (month < 0 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;

  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute;
  return (minutes * 60 + second) * 1_000;
}

const DAY_MS = 86_400_000;
const MEAN_YEAR_DAYS = 365.2425;

function fullYear(twoDigits: number, nowMs: number): number {
  const latest = Math.floor(1970 + nowMs / DAY_MS / MEAN_YEAR_DAYS) + 50;
  return latest - ((((latest - twoDigits) % 100) + 100) % 100);
}
