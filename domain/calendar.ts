/** Days from 1970-01-01 in the Gregorian calendar; `month` counts from 0. Years begin in March, to end in a leap day. */
export function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month < 2 ? year - 1 : year;
  const marchMonth = (month + 10) % 12;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const dayOfYear = Math.floor((153 * marchMonth + 2) / 5) + day - 1;
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

/** Number of days of a month in the Gregorian calendar; `month` counts from 0. */
export function daysOfMonth(year: number, month: number): number {
  const [nextYear, nextMonth] = month === 11 ? [year + 1, 0] : [year, month + 1];
  return daysSince1970(nextYear, nextMonth, 1) - daysSince1970(year, month, 1);
}
