const COUNT = new Intl.NumberFormat('en-US');

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A count with thousands apart: `1,204`. */
export function count(n: number): string {
  return COUNT.format(n);
}

/** A count with its noun in the right number: `1 page`, `1,204 pages`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Bytes in decimal units with two or three digits: `4.2 MB`. */
export function bytes(n: number): string {
  let value = n;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit > 0 && value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? 'TB'}`;
}

/** An instant for people and scripts alike: UTC to the second, `2026-08-01 12:00:00Z`. */
export function instant(at: Date): string {
  return at
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}
