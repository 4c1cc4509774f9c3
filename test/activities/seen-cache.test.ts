import { expect, test } from 'vitest';
import { SeenCache } from '../../activities/seen-cache.ts';
import { linkTo } from '../db/a-frontier.ts';

const urls = Array.from({ length: 300_000 }, (_, at) => `http://h.test/${String(at)}`);

test('a cache never says that it holds what was not added, however full it is', () => {
  const cache = new SeenCache();
  cache.add(1, urls.slice(0, 200_000));
  expect(urls.slice(200_000).filter((url) => cache.has(1, url))).toEqual([]);
  expect(urls.filter((url) => cache.has(2, url))).toEqual([]);
});

test('the latest comers are held, older ones as long as nobody takes their slots', () => {
  const cache = new SeenCache();
  cache.add(1, urls.slice(0, 10_000));
  const held = urls.slice(0, 10_000).filter((url) => cache.has(1, url));
  expect(held.length).toBeGreaterThan(9_000);
  cache.add(1, ['http://h.test/last']);
  expect(cache.notSeen(1, [linkTo('http://h.test/last'), linkTo('http://h.test/new')])).toEqual([
    linkTo('http://h.test/new'),
  ]);
});

test('nothing is held after a connection was lost', () => {
  const cache = new SeenCache();
  cache.add(1, ['http://h.test/']);
  cache.clear();
  expect(cache.has(1, 'http://h.test/')).toBe(false);
});
