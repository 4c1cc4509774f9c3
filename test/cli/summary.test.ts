import { expect, test } from 'vitest';
import { exitCodeOf } from '../../cli/exit-codes.ts';
import { hint } from '../../cli/hints.ts';
import { summaryJson, summaryLines } from '../../cli/views/summary.ts';
import type { SummaryContext } from '../../cli/views/summary.ts';
import type { EndReason } from '../../domain/crawl-state.ts';
import { aProgress, START } from './a-progress.ts';

const context: SummaryContext = {
  data: '.decorum',
  warcFolder: '.decorum/warc',
  temporalUi: 'http://127.0.0.1:8233',
  run: { pages: 1_200, lastedMs: 60_000 },
  nowMs: START.getTime() + 72_000,
};

const endedAt = new Date(START.getTime() + 72_000);

test('the summary of a finished crawl', () => {
  const progress = aProgress({
    state: 'finished',
    endReason: 'finished',
    endedAt,
    queuedByBand: [0, 0, 0],
    assigned: 0,
    waiting: { retries: 0, robots: 0, held: 0, until: null },
  });

  expect(summaryLines(progress, context).join('\n')).toMatchInlineSnapshot(`
    "docs: finished, every URL is settled
      pages     1,214 pages (1,200 in this run of 1 min, 20.0/s), 42.3 MB
      outcomes  1,214 fetched, 9 redirected, 3 put off, 1 failed, 40 excluded
      hosts     22 hosts
      left      nothing
      files     .decorum/warc
      Temporal  http://127.0.0.1:8233 (while a decorum runs here)
      next      decorum why <url> --name docs"
  `);
});

test('the summary of a stopped crawl says what is left', () => {
  const progress = aProgress({ state: 'stopped', endReason: 'stopped', endedAt });
  const elsewhere = { ...context, data: '/srv/my crawls', temporalUi: undefined };

  expect(summaryLines(progress, elsewhere).join('\n')).toMatchInlineSnapshot(`
    "docs: stopped, it can be resumed
      pages     1,214 pages (1,200 in this run of 1 min, 20.0/s), 42.3 MB
      outcomes  1,214 fetched, 9 redirected, 3 put off, 1 failed, 40 excluded
      hosts     22 hosts
      left      6,712 queued, 60 assigned, 2 retries, 1 for a robots.txt; the next in 1 h
      files     .decorum/warc
    resume with: decorum resume docs --data '/srv/my crawls'"
  `);
});

test.each<[reason: EndReason, next: string, exitCode: number]>([
  ['finished', 'decorum why <url> --name docs', 0],
  ['only retries left', 'decorum resume docs', 0],
  ['pages spent', 'decorum crawl --name docs --pages 10000', 3],
  ['time spent', 'decorum crawl --name docs --time <duration>', 3],
  ['stopped', 'decorum resume docs', 130],
])('after "%s" comes "%s", and the exit code is %i', (endReason, next, exitCode) => {
  const progress = aProgress({ state: 'finished', endReason, endedAt });

  expect(JSON.parse(summaryJson(progress, context))).toMatchObject({
    kind: 'summary',
    endReason,
    next,
  });
  expect(exitCodeOf(endReason)).toBe(exitCode);
});

test('a hint can be pasted into a shell', () => {
  expect(hint(['resume', 'docs'], "/srv/it's here")).toBe(
    String.raw`decorum resume docs --data '/srv/it'\''s here'`,
  );
});
