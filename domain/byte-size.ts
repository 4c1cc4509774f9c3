const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal units with two or three digits: `4.2 MB`. */
export function formatBytes(n: number): string {
  let value = n;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit > 0 && value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? 'TB'}`;
}
