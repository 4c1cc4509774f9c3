import { daysOfMonth, daysSince1970 } from './calendar.ts';

/** Years, months, days, and days with a time of day and a zone; seconds and their fractions may be left out. */
const FORM =
  /^(?<year>\d{4})(?:-(?<month>\d{2})(?:-(?<day>\d{2})(?:[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?$/iu;

/**
 * Reads a date in a form of the W3C's note on date and time, as a sitemap's `lastmod` has it: milliseconds since 1970,
 * `undefined` for anything else. A date without a time is its first instant; one without a zone is UTC, which the note
 * forbids and sites write all the same.
 */
export function parseW3cDateMs(text: string): number | undefined {
  const groups = FORM.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;

  const number = (name: string, absent: number): number => Number(groups[name] ?? absent);
  const [year, month, day] = [number('year', 0), number('month', 1) - 1, number('day', 1)];
  const [hour, minute, second] = [number('hour', 0), number('minute', 0), number('second', 0)];
  if (month < 0 || month > 11 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;

  const offsetMinutes = zoneMinutes(groups['zone'] ?? 'Z');
  if (offsetMinutes === undefined) return undefined;
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offsetMinutes;
  return (minutes * 60 + second) * 1_000 + Math.floor(number('fraction', 0) * 1_000);
}

function zoneMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
