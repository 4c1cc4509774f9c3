import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bandOf,
  bandWeights,
  defaultWeights,
  drawBands,
  LEAST_SHARE,
  pickBand,
} from '../../domain/band.ts';
import { requestUrl } from './request-url-of.ts';

describe('bandOf', () => {
  const deep = { url: requestUrl('https://a.test/x/y'), depth: 9, bands: 3 };

  test.each([
    {
      rule: 'a home page comes first',
      evidence: { ...deep, url: requestUrl('https://a.test') },
      band: 1,
    },
    {
      rule: 'so does a page that had changed',
      evidence: { ...deep, changedAtLastVisit: true },
      band: 1,
    },
    { rule: 'pages two links from a seed come next', evidence: { ...deep, depth: 2 }, band: 2 },
    {
      rule: 'the rest comes last',
      evidence: { ...deep, depth: 3, changedAtLastVisit: false },
      band: 3,
    },
    {
      rule: 'a query makes another page of a home page',
      evidence: { ...deep, url: requestUrl('https://a.test/?p=9') },
      band: 3,
    },
    { rule: 'with two bands the rest is in the second', evidence: { ...deep, bands: 2 }, band: 2 },
    { rule: 'with one band all are in it', evidence: { ...deep, bands: 1 }, band: 1 },
  ])('$rule', ({ evidence, band }) => {
    expect(bandOf(evidence)).toBe(band);
  });
});

describe('the band lottery', () => {
  test('by default each band is half as likely as the one above it', () => {
    expect(defaultWeights(3)).toEqual([
      { band: 1, weight: 1 },
      { band: 2, weight: 0.5 },
      { band: 3, weight: 0.25 },
    ]);
  });

  test('gives each band its share', () => {
    const draws = Array.from({ length: 7_000 }, (_, index) =>
      pickBand(defaultWeights(3), index / 7_000),
    );
    const share = (band: number): number => draws.filter((drawn) => drawn === band).length;

    expect([share(1), share(2), share(3)]).toEqual([4_000, 2_000, 1_000]);
  });

  test('an empty lottery draws nothing', () => {
    expect(pickBand([], 0.5)).toBeUndefined();
    expect(pickBand([{ band: 1, weight: 0 }], 0)).toBeUndefined();
  });

  test('draws one of the bands that have a weight, whatever the chance', () => {
    const weight = fc.record({
      band: fc.integer({ min: 1, max: 8 }),
      weight: fc.double({ min: 0, max: 1e9, noNaN: true }),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.array(weight), random, (weights, chance) => {
        const drawable = weights.filter((entry) => entry.weight > 0).map(({ band }) => band);
        const drawn = pickBand(weights, chance);

        if (drawable.length === 0) expect(drawn).toBeUndefined();
        else expect(drawable).toContain(drawn);
      }),
    );
  });
});

describe('the places of a batch', () => {
  test('are shared out by weight, within 2 % over ten thousand draws', () => {
    const draws = 10_000;
    const drawn = drawBands(defaultWeights(3), [1, 2, 3], draws, seeded(7));
    const total = 1 + 1 / 2 + 1 / 4;
    for (const { band, weight } of defaultWeights(3)) {
      expect(Math.abs((drawn.get(band) ?? 0) / draws - weight / total)).toBeLessThan(0.02);
    }
  });

  test('go to bands that have work only, and all of them', () => {
    const drawn = drawBands(defaultWeights(8), [2, 7], 100, seeded(1));
    expect([...drawn.keys()].sort()).toEqual([2, 7]);
    expect((drawn.get(2) ?? 0) + (drawn.get(7) ?? 0)).toBe(100);
    expect(drawBands(defaultWeights(3), [], 100, seeded(1)).size).toBe(0);
  });
});

/** mulberry32: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("a crawl's weights", () => {
  const given = fc.integer({ min: 1, max: 8 }).chain((bands) =>
    fc.record({
      bands: fc.constant(bands),
      weights: fc
        .array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: bands, maxLength: bands })
        .filter((weights) => weights.some((weight) => weight > 0.001)),
    }),
  );

  test('none set: those of the default', () => {
    for (let bands = 1; bands <= 8; bands += 1)
      expect(bandWeights({ bands, weights: [] })).toEqual(defaultWeights(bands));
  });

  test('however they are set, no band gets less than the least share', () => {
    fc.assert(
      fc.property(given, (settings) => {
        const weights = bandWeights(settings);
        const all = weights.reduce((sum, { weight }) => sum + weight, 0);

        // The floor is of the weights as set; all floors together add to them at most 1.6 %.
        for (const { weight } of weights)
          expect(weight / all).toBeGreaterThanOrEqual(LEAST_SHARE / 1.017);
      }),
    );
  });

  test('over 10,000 draws each band gets its share within 2 % of all', () => {
    fc.assert(
      fc.property(given, fc.integer(), (settings, seed) => {
        const weights = bandWeights(settings);
        const all = weights.reduce((sum, { weight }) => sum + weight, 0);
        const bands = weights.map(({ band }) => band);
        const drawn = drawBands(weights, bands, 10_000, seeded(seed));

        for (const { band, weight } of weights)
          expect(Math.abs((drawn.get(band) ?? 0) / 10_000 - weight / all)).toBeLessThan(0.02);
      }),
      { numRuns: 50 },
    );
  });
});

test('with all other bands always full, the lowest waits no longer than its floor allows', () => {
  const pulls = 10_000;
  const places = 100;
  // The floors of the seven bands below are 1.4 % of the weights, so a floor is no less than this share of the draws.
  const passedBy = (1 - LEAST_SHARE / 1.014) ** places;
  // So many pulls in a row pass it by with a chance of one in a hundred million, that is once in 10,000 runs of this test.
  const bound = Math.ceil(Math.log(1e-8) / Math.log(passedBy));
  const weights = bandWeights({ bands: 8, weights: [1, 0, 0, 0, 0, 0, 0, 0] });
  const random = seeded(11);
  let waited = 0;
  let longest = 0;
  for (let pull = 0; pull < pulls; pull += 1) {
    const drawn = drawBands(weights, [1, 2, 3, 4, 5, 6, 7, 8], places, random);
    waited = drawn.has(8) ? 0 : waited + 1;
    longest = Math.max(longest, waited);
  }

  expect(bound).toBe(94);
  expect(longest).toBeLessThanOrEqual(bound);
  expect(longest).toBeGreaterThan(0);
});
