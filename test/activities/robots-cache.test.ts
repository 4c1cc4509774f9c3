import { expect, test } from 'vitest';
import { RobotsCache } from '../../activities/robots-cache.ts';
import { parseRobots } from '../../domain/robots.ts';

/** A file whose rules take about so many bytes. */
function rulesOf(bytes: number): ReturnType<typeof parseRobots> {
  return parseRobots(`User-agent: *\nDisallow: /${'a'.repeat(bytes / 2)}`, 'Decorum');
}

test('parsed robots.txt files are kept by their size, those asked for last', () => {
  const cache = new RobotsCache(10_000);
  for (const key of ['1', '2', '3', '4']) {
    cache.set(key, rulesOf(3_000));
    cache.get('1');
  }

  expect(['1', '2', '3', '4'].filter((key) => cache.get(key) !== undefined)).toEqual(
    ['1', '3', '4'].slice(0, 3),
  );
  expect(cache.bytes).toBeLessThanOrEqual(10_000);
});

test('one that is larger than all may be is kept until the next comes', () => {
  const cache = new RobotsCache(10_000);
  cache.set('huge', rulesOf(500_000));
  expect(cache.get('huge')).toBeDefined();

  cache.set('small', rulesOf(100));
  expect(cache.get('huge')).toBeUndefined();
  expect(cache.get('small')).toBeDefined();
  expect(cache.bytes).toBeLessThan(1_000);
});

test('a file of many rules weighs more than its text', () => {
  const cache = new RobotsCache();
  cache.set(
    'many',
    parseRobots(
      `User-agent: *\n${Array.from({ length: 1_000 }, (_, n) => `Allow: /${n}\n`).join('')}`,
      'Decorum',
    ),
  );
  expect(cache.bytes).toBeGreaterThan(200_000);
});
