import { expect, test } from 'vitest';
import { findingJson, findingLines, tallyLine, tallyOf } from '../../cli/views/doctor-view.ts';
import { comparisonFinding, crawlFinding } from '../../workers/doctor/deep.ts';
import { fault, ok, warning } from '../../workers/doctor/finding.ts';

const plain = { width: Infinity, colours: false };
const full = fault('disk', '12 MB free; crawls want 256 MB', 'make room');

test('a finding is a line, and its remedy another', () => {
  expect(findingLines(full, plain)).toEqual([
    'fault    disk                12 MB free; crawls want 256 MB',
    '                             remedy: make room',
  ]);
  expect(findingLines(ok('Node', '20.20.2'), plain)).toEqual([
    'ok       Node                20.20.2',
  ]);
});

test.each([20, 40, 60, 79])('fits into %s columns', (width) => {
  const lines = findingLines(full, { width, colours: false });

  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toBe(
    'fault disk 12 MB free; crawls want 256 MB remedy: make room',
  );
});

test('colours the verdict where there are colours', () => {
  expect(findingLines(full, { width: 79, colours: true })[0]).toMatch(/^\u001b\[31mfault/);
});

test('text from elsewhere is harmless on a terminal', () => {
  expect(findingLines(ok('ports', 'by \u001b[2J'), plain).join('')).not.toContain('\u001b');
});

test('the last line counts', () => {
  const tally = tallyOf([full, ok('a', 'b'), warning('c', 'd', 'e'), warning('f', 'g', 'h')]);

  expect(tallyLine(tally)).toBe('1 ok, 2 warnings, 1 fault');
});

test('for machines a finding says all, and a comparison its numbers', () => {
  expect(JSON.parse(findingJson(full))).toEqual({
    kind: 'finding',
    check: 'disk',
    state: 'fault',
    found: '12 MB free; crawls want 256 MB',
    remedy: 'make room',
  });
  const examples = [{ what: 'crawl "a": URLs known', expected: '3', found: '4' }];
  const finding = comparisonFinding({ name: 'URLs known', compared: 3, wrong: 7, examples });

  expect(finding.found).toBe('crawl "a": URLs known: expected 3, found 4; and 6 more');
  expect(JSON.parse(findingJson(finding))).toMatchObject({ compared: 3, wrong: 7, examples });
});

test('links that wait for a crawl to go on are no fault, a half removed crawl asks for its end', () => {
  const quiet = { crawl: 'docs', isHalfRemoved: false, waitingLinks: 0 };

  expect(crawlFinding(quiet)).toEqual([]);
  expect(crawlFinding({ ...quiet, waitingLinks: 12 })).toMatchObject([
    { check: 'crawl "docs"', state: 'ok', found: '12 links wait for the crawl to go on' },
  ]);
  expect(crawlFinding({ ...quiet, isHalfRemoved: true })).toMatchObject([
    { state: 'warning', remedy: 'finish it: decorum crawls remove docs' },
  ]);
});
