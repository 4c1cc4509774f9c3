import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BloomFilter, falsePositiveShare, filterCapacity } from '../../domain/bloom-filter.ts';
import { keyHashesIn, keyHashOf } from '../../db/key-hash.ts';

describe('a filter', () => {
  test('holds all that was added, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (keys) => {
        const filter = new BloomFilter(1_000);
        for (const key of keys) filter.add(keyHashOf(key));
        expect(keys.every((key) => filter.mayHold(keyHashOf(key)))).toBe(true);
      }),
    );
  });

  test.each([
    ['half full', 0.5],
    ['full', 1],
    ['overfull', 2],
  ])('that is %s takes as many others for its own as is expected of it', (_, load) => {
    const capacity = 20_000;
    const filter = new BloomFilter(capacity);
    const keys = capacity * load;
    for (let n = 0; n < keys; n += 1) filter.add(keyHashOf(`http://in.test/${String(n)}`));

    const asked = 200_000;
    let wrong = 0;
    for (let n = 0; n < asked; n += 1) {
      if (filter.mayHold(keyHashOf(`http://out.test/${String(n)}`))) wrong += 1;
    }

    const expected = falsePositiveShare(keys, capacity);
    // Four standard deviations of so many draws: the keys are fixed, so the outcome is too.
    expect(Math.abs(wrong / asked - expected)).toBeLessThan(
      4 * Math.sqrt(expected / asked) + 0.1 * expected,
    );
  });
});

test('a filter that is full takes less than one in a hundred new keys for known ones', () => {
  expect(falsePositiveShare(1_000_000, 1_000_000)).toBeLessThan(0.01);
  expect(falsePositiveShare(0, 1_000_000)).toBe(0);
});

test('a size has room for what is known, and the next one for twice as much', () => {
  fc.assert(
    fc.property(fc.nat({ max: 10 ** 9 }), (keys) => {
      const capacity = filterCapacity(keys);
      expect(capacity).toBeGreaterThan(keys);
      expect(filterCapacity(capacity)).toBe(2 * capacity);
    }),
  );
});

test('hashes that lie end to end are read one by one', () => {
  const keys = ['http://a.test/', 'http://a.test/é', ''];
  const bytes = Buffer.concat(keys.map((key) => Buffer.from(keyHashOf(key).buffer)));
  expect([...keyHashesIn(bytes)]).toEqual(keys.map(keyHashOf));
});
