export { formatBytes as bytes } from '../../domain/byte-size.ts';
export { instantText as instant } from '../../domain/instant.ts';

const COUNT = new Intl.NumberFormat('en-US');

/** A count with thousands apart: `1,204`. */
export function count(n: number): string {
  return COUNT.format(n);
}

/** A count with its noun in the right number: `1 page`, `1,204 pages`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

const PERCENT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** A share with two digits: `0.82 %`. */
export function percent(share: number): string {
  return `${PERCENT.format(share * 100)} %`;
}
