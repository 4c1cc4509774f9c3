import { describe, expect, test } from 'vitest';
import { crawlJson, crawlsLines } from '../../cli/views/crawls-view.ts';
import type { CrawlSize } from '../../db/crawl-sizes.ts';

const NOON = new Date('2026-08-01T12:00:00.500Z');

function aCrawl(otherwise: Partial<CrawlSize> = {}): CrawlSize {
  return {
    name: 'docs',
    state: 'finished',
    endReason: 'finished',
    startedAt: NOON,
    runStartedAt: NOON,
    endedAt: NOON,
    removingSince: null,
    pages: 1_204,
    known: 31_000,
    bytes: 12_300_000,
    ...otherwise,
  };
}

function drawn(crawls: readonly CrawlSize[], width = Number.POSITIVE_INFINITY): readonly string[] {
  return crawlsLines(crawls, { width, colours: false });
}

describe('the table of crawls', () => {
  test('has name, state, counts and times', () => {
    expect(drawn([aCrawl()])).toEqual([
      'NAME  STATE     PAGES  URLS KNOWN    BYTES  STARTED               LAST RUN',
      'docs  finished  1,204      31,000  12.3 MB  2026-08-01 12:00:00Z  2026-08-01 12:00:00Z',
    ]);
  });

  test.each([
    [aCrawl({ state: 'running', endReason: null }), 'running'],
    [aCrawl({ state: 'stopped', endReason: 'stopped' }), 'stopped'],
    [aCrawl({ endReason: 'pages spent' }), 'finished: pages spent'],
    [aCrawl({ removingSince: NOON }), 'half removed'],
  ])('says why one ended where the state does not', (crawl, said) => {
    expect(drawn([crawl])[1]).toMatch(new RegExp(`^docs {2}${said} {2}`));
  });

  test.each([20, 40, 80, 200])('is no wider than %i columns, a line a crawl', (width) => {
    const name = 'a-crawl-with-quite-a-long-name-that-somebody-chose';
    const lines = drawn([aCrawl(), aCrawl({ name, endReason: 'only retries left' })], width);
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toContain('NAME');
  });
});

test('a crawl as JSON has plain numbers and ISO instants', () => {
  expect(JSON.parse(crawlJson(aCrawl()))).toMatchObject({
    kind: 'crawl',
    name: 'docs',
    pages: 1_204,
    startedAt: '2026-08-01T12:00:00.500Z',
    removingSince: null,
  });
});
