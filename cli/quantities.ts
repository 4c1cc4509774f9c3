export { formatBytes as bytes } from '../domain/byte-size.ts';

const COUNT = new Intl.NumberFormat('en-US');

/** A count with thousands apart: `1,204`. */
export function count(n: number): string {
  return COUNT.format(n);
}

/** A count with its noun in the right number: `1 page`, `1,204 pages`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** An instant for people and scripts alike: UTC to the second, `2026-08-01 12:00:00Z`. */
export function instant(at: Date): string {
  return at
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}
