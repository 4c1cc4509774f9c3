import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { progressJson, progressLine, progressLines } from '../../cli/views/progress-view.ts';
import type { ProgressLook } from '../../cli/views/progress-view.ts';
import { aProgress, SHORTAGE, START } from './a-progress.ts';

const nowMs = START.getTime() + 72_000;

const look: ProgressLook = { progress: aProgress(), pagesPerSecond: 11.84, nowMs };

const onlyWaits: ProgressLook = {
  progress: aProgress({
    pageBudget: null,
    hosts: { live: 0, resting: 1, held: 1, robots: 0, idle: 0 },
    queuedByBand: [0, 0, 0],
    assigned: 3,
    errors: 0,
    waiting: { retries: 1, robots: 0, held: 2, until: null },
  }),
  pagesPerSecond: undefined,
  nowMs,
};

const drawn = (view: ProgressLook, width: number, colours = false): string =>
  progressLines(view, { width, colours }).join('\n');

describe('the view', () => {
  test('on a wide terminal', () => {
    expect(drawn(look, 120)).toMatchInlineSnapshot(`
      "docs · running 1 min 12 s · 1,214 of 5,000 pages · 11.8 pages/s · 42.3 MB · 12,040 URLs known
        hosts    18 live · 1 resting · 0 held · 1 awaiting robots.txt · 2 idle
        queue    2 in band 1 · 310 in band 2 · 6,400 in band 3 · 60 assigned
        fetches  1,214 fetched · 9 redirected · 3 put off · 1 failed · 40 excluded · 4 errors
        left out 5,210 by scope · 12 by rule path:/print/*
        waiting  2 retries · 1 for a robots.txt · the next in 1 h"
    `);
  });

  test('on a narrow terminal', () => {
    expect(drawn(look, 40)).toMatchInlineSnapshot(`
      "docs · running 1 min 12 s
        1,214 of 5,000 pages · 11.8 pages/s
        42.3 MB · 12,040 URLs known
        hosts    18 live · 1 resting · 0 held
                 1 awaiting robots.txt
                 2 idle
        queue    2 in band 1 · 310 in band 2
                 6,400 in band 3 · 60 assigned
        fetches  1,214 fetched · 9 redirected
                 3 put off · 1 failed
                 40 excluded · 4 errors
        left out 5,210 by scope
                 12 by rule path:/print/*
        waiting  2 retries
                 1 for a robots.txt
                 the next in 1 h"
    `);
  });

  test('says that the crawl holds itself for want of room, whatever the width', () => {
    const held = { ...look, progress: aProgress({ shortages: [SHORTAGE] }) };
    const words = [
      'no room on box:/data/warc',
      '12.0 MB free, 256 MB wanted',
      'since 2026-08-01 12:00:00Z',
      'goes on by itself',
    ];
    for (const width of [50, 120]) {
      for (const said of words) expect(drawn(held, width)).toContain(said);
    }
    expect(progressLine(held)).toContain(
      'held: no room on box:/data/warc (12.0 MB free, 256 MB wanted) since',
    );
    expect(JSON.parse(progressJson(held))).toMatchObject({
      shortages: [{ place: SHORTAGE.place }],
    });
  });

  test('says when nothing but waiting is left', () => {
    expect(drawn(onlyWaits, 100)).toMatchInlineSnapshot(`
      "docs · running 1 min 12 s · 1,214 pages · 42.3 MB · 12,040 URLs known
        hosts    0 live · 1 resting · 1 held · 0 idle
        queue    0 in band 1 · 0 in band 2 · 0 in band 3 · 3 assigned
        fetches  1,214 fetched · 9 redirected · 3 put off · 1 failed · 40 excluded · 0 errors
        left out 5,210 by scope · 12 by rule path:/print/*
        waiting  1 retry · 2 held by a person · nothing else is left"
    `);
  });

  test('uses colours where it may, and only then', () => {
    expect(drawn(look, 120, true)).toContain('\u001b[31m4 errors\u001b[39m');
    expect(drawn(look, 120)).not.toContain('\u001b');
  });

  test('is never wider than the terminal, and drops no line', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), (width) => {
        const lines = progressLines(look, { width, colours: false });
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        for (const label of ['hosts', 'queue', 'fetches', 'waiting']) {
          expect(lines.filter((line) => line.startsWith(`  ${label}`))).toHaveLength(1);
        }
      }),
    );
  });

  test('looks the same with colours, but for the colours', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), (width) => {
        expect(drawn(look, width, true).replace(/\u001b\[\d+m/g, '')).toBe(drawn(look, width));
      }),
    );
  });
});

describe('the plain line', () => {
  test('has all of it on one line', () => {
    expect(progressLine(look)).toMatchInlineSnapshot(
      `"docs · running 1 min 12 s · 1,214 of 5,000 pages · 11.8 pages/s · 42.3 MB · 12,040 URLs known · hosts 18 live, 1 resting, 0 held, 1 awaiting robots.txt, 2 idle · queue 2 + 310 + 6,400, 60 assigned · 4 errors · waiting: 2 retries, 1 for a robots.txt, the next in 1 h"`,
    );
  });

  test('says when nothing but waiting is left', () => {
    expect(progressLine(onlyWaits)).toMatchInlineSnapshot(
      `"docs · running 1 min 12 s · 1,214 pages · 42.3 MB · 12,040 URLs known · hosts 0 live, 1 resting, 1 held, 0 idle · queue 0 + 0 + 0, 3 assigned · 0 errors · waiting: 1 retry, 2 held by a person, nothing else is left"`,
    );
  });
});

test('the JSON line is one object with the counts as they are', () => {
  const line = progressJson(look);

  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toMatchObject({
    kind: 'progress',
    at: '2026-08-01T12:01:12.000Z',
    name: 'docs',
    pages: 1_214,
    pagesPerSecond: 11.84,
    hosts: { live: 18 },
    waiting: { until: '2026-08-01T13:01:12.000Z' },
  });
});
