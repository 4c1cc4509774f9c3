import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { verdictOf } from '../../activities/url-settlement.ts';
import type { ClaimedUrl } from '../../db/claim.ts';
import { hasNoBody, isContent, outcomeOfAnswer } from '../../domain/answer.ts';
import * as backoff from '../../domain/backoff.ts';
import { crawlSettingsOf, DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import { formatDuration } from '../../domain/duration.ts';
import { DOUBLED_GAP_CAP_MS } from '../../domain/gap.ts';
import type { FailureReason, FetchOutcome } from '../../domain/outcome.ts';
import { MAX_CLAIMS, MAX_HOPS } from '../../domain/retry.ts';
import { ROBOTS_MAX_HOPS, robotsAccessOf, robotsPauseMs } from '../../domain/robots-access.ts';
import { directivesOfHeaders, directivesOfMeta } from '../../domain/robots-directives.ts';
import { MAX_ROBOTS_BYTES, ROBOTS_KEYS, robotsLines } from '../../domain/robots-file.ts';
import { ROBOTS_STALE_MS, ROBOTS_TTL_MS, robotsTtlMs } from '../../domain/robots-lifetime.ts';
import { parseRobots } from '../../domain/robots.ts';
import { MAX_HEADER_BYTES } from '../../web/answer-recorder.ts';
import { CODING_LIMIT, CODINGS, decodeBody, NO_CODINGS } from '../../web/decode-body.ts';
import { extractPage } from '../../web/extract-links.ts';
import { requestUrl } from '../domain/request-url-of.ts';
import { cannedHost, fetchFrom } from '../web/loopback.ts';
import { codeWords, literalsOf, rowsOf, sectionOf, textOf } from './pages.ts';

const url = requestUrl('http://a.test/page');
const userAgent = 'Decorum/1.0';
const NOON_MS = Date.UTC(2026, 10, 6, 12);

/** A row for each thing that a table's first column names in code marks; a word in plain letters stands for itself. */
function eachOf(heading: string, head: string): readonly (readonly [string, ...string[]])[] {
  return rowsOf(sectionOf('docs/answers.md', heading), head).flatMap(([first = '', ...cells]) => {
    const words = codeWords(first);
    return (words.length === 0 ? [first] : words).map((word) => [word, ...cells] as const);
  });
}

/** How an outcome leaves a host that has had good and bad answers before, in the words of the pages. */
function hostWordOf(outcome: FetchOutcome): string {
  const before = { backoffLevel: 3, goodAnswers: 2, failuresInARow: 2 };
  const { backoffLevel, goodAnswers, failuresInARow } = backoff.healthAfter(before, outcome);
  if (backoffLevel > before.backoffLevel) return 'busy';
  if (failuresInARow > before.failuresInARow) return 'failing';
  if (goodAnswers > before.goodAnswers) return 'good';
  return goodAnswers === 0 && failuresInARow === 0 ? 'poor' : 'not judged';
}

describe('statuses', () => {
  const rows = rowsOf(sectionOf('docs/answers.md', 'Statuses'), 'Status');
  const named = new Set(rows.flatMap(([first = '']) => first.split(', ').flatMap(numbersOf)));
  /** Those of a class are the ones that no other row names. */
  const statusesOf = (cell: string): readonly number[] =>
    cell.split(', ').flatMap((part) => {
      const family = /^other (\d)xx$/.exec(part)?.[1];
      return family === undefined
        ? numbersOf(part)
        : range(Number(family) * 100, Number(family) * 100 + 99).filter((one) => !named.has(one));
    });
  const answered = rows.filter(([, , links]) => links !== '');

  test('each from 100 to 999 stands in one row', () => {
    const all = rows.flatMap(([first = '']) => statusesOf(first));
    expect([...all].sort((a, b) => a - b)).toEqual(range(100, 999));
    expect(rows.at(-1)?.[0]).toBe('anything else');
  });

  test.each(answered)('%s: %s', (first, page, links, host, robots) => {
    for (const status of statusesOf(first)) {
      const outcome = outcomeOfAnswer({ url, status, location: '/to', asked: NOTHING_ASKED });
      expect(wordsOf(outcome), String(status)).toEqual(leadingWords(page));
      const isRead = outcome.kind === 'fetched' && isContent(status) && !hasNoBody(status);
      expect(isRead ? 'read' : 'none', String(status)).toBe(links);
      expect(hostWordOf(outcome), String(status)).toBe(host);
      expect(robotsAccessOf(outcome), String(status)).toBe(codeWords(robots)[0]);
    }
  });

  test('a redirect to nowhere, and a 304 that nobody asked for, are what their rows say', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const outcome = outcomeOfAnswer({ url, status });
      expect([outcome.kind, robotsAccessOf(outcome)]).toEqual(['fetched', 'allowAll']);
    }
    const outcome = outcomeOfAnswer({ url, status: 304 });
    expect([outcome.kind, robotsAccessOf(outcome)]).toEqual(['fetched', 'unreachable']);
  });

  test('1xx answers but 101 are passed over', async () => {
    const passed = statusesOf('other 1xx').map((status) => `HTTP/1.1 ${status} X\r\n\r\n`);
    const host = await cannedHost(passed.join(''), 'HTTP/1.1 204 X\r\n\r\n');
    expect((await fetchFrom(host)).outcome).toEqual({ kind: 'fetched', status: 204 });
  });

  test.each(['101 X', '99 X', '1000 X', '000 X', 'OK', '-200 X'])(
    'what is no status of a final answer is malformed: %s',
    async (line) => {
      const host = await cannedHost(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`);
      expect((await fetchFrom(host)).outcome).toMatchObject({
        kind: 'failed',
        reason: 'malformedAnswer',
      });
    },
  );
});

describe('failures', () => {
  const rows = rowsOf(sectionOf('docs/failures.md', 'Why a fetch failed'), 'Reason');

  test.each(rows)('%s: retries %s, host %s', (cell, retries, host) => {
    const [reason] = codeWords(cell) as [FailureReason];
    const hasStatus = ['undecodable', 'cutShort', 'serverError'].includes(reason);
    const outcome = failed(reason, hasStatus ? 500 : undefined);
    expect(hostWordOf(outcome)).toBe(host);
    if (host === 'failing') expect(hostWordOf(failed(reason, 200))).toBe('poor');
    expect(retriesOf(outcome)).toBe(retries);
  });

  test('none but a status lets a robots.txt be anything but unreachable', () => {
    for (const reason of literalsOf(textOf('domain/outcome.ts'), 'FailureReason')) {
      expect(robotsAccessOf(failed(reason as FailureReason, undefined))).toBe('unreachable');
    }
  });
});

describe('robots files', () => {
  test('the words are those of the code', () => {
    const told = eachOf('Robots files', 'Word').map(([word]) => word);
    const known = literalsOf(textOf('domain/robots-access.ts'), 'RobotsAccess');
    expect([...told].sort()).toEqual([...known, 'redirected', 'unchanged'].sort());
  });

  test.each(eachOf('Robots files', 'Headers of a robots.txt'))(
    '%s: used for %s',
    (header, used) => {
      const [, name, value] = /^([\w-]+): (.*)$/.exec(header) ?? [];
      const headers = {
        cacheControl: name === 'Cache-Control' ? [value ?? ''] : [],
        expires: name === 'Expires' ? value : undefined,
        date: undefined,
      };
      expect(formatDuration(robotsTtlMs(headers, NOON_MS))).toBe(used);
    },
  );

  test.each(eachOf('Lines of a robots.txt', 'Begins with'))('"%s" is read as %s', (key, cell) => {
    const kinds = [key, key.toUpperCase(), `${key}s`].flatMap((written) =>
      [...robotsLines(`${written}: x`)].map(({ kind }) => kind),
    );
    const kind = codeWords(cell)[0];
    expect(kinds).toEqual(kind === undefined ? [] : [kind, kind, kind]);
  });

  test('no line is read that the page does not name', () => {
    const told = eachOf('Lines of a robots.txt', 'Begins with').map(([key]) => key);
    expect(told).toEqual(expect.arrayContaining(ROBOTS_KEYS.map(([key]) => key)));
  });

  test.each(eachOf('Lines of a robots.txt', '`Crawl-delay`'))(
    'Crawl-delay: %s is %s',
    (value, gap) => {
      const { crawlDelayMs } = parseRobots(`User-agent: *\nCrawl-delay: ${value}`, 'Decorum');
      const { crawlDelayCapMs } = DEFAULT_SETTINGS;
      expect(
        wordOf(crawlDelayMs === undefined ? undefined : Math.min(crawlDelayMs, crawlDelayCapMs)),
      ).toBe(gap);
    },
  );
});

describe('what a page asks', () => {
  const asked = { userAgent, nowMs: NOON_MS };

  test.each(eachOf('Robots directives of a page', 'Directive'))(
    '%s',
    (said, where, links, recorded) => {
      const told = {
        noindex: codeWords(recorded).includes('noindex'),
        nofollow: links === 'left alone',
      };
      expect(directivesOfHeaders([said], asked)).toEqual(told);
      if (where === 'header') return;
      expect(directivesOfMeta([{ name: 'robots', content: said }], asked)).toEqual(told);
      expect(directivesOfMeta([{ name: 'Decorum', content: said }], asked)).toEqual(told);
      expect(directivesOfMeta([{ name: 'otherbot', content: said }], asked).nofollow).toBe(false);
    },
  );

  test.each(eachOf('Robots directives of a page', '`rel` of a link'))('rel="%s"', (rel, link) => {
    const body = Buffer.from(`<a rel="${rel}" href="/x">`);
    const { links, nofollowLinks } = extractPage({ url, contentType: 'text/html', body });
    expect(links).toEqual(['http://a.test/x']);
    expect(nofollowLinks.length > 0).toBe(/--obey-nofollow/.test(link));
  });
});

test.each(eachOf('Retry-After', 'Value'))('Retry-After: %s is %s', (value, wait) => {
  expect(wordOf(backoff.retryAfterMs(value, NOON_MS))).toBe(wait.replace(/:.*/, ''));
});

describe('content codings', () => {
  const rows = eachOf('Content-Encoding', 'Coding');
  const text = Buffer.from('some text, and no markup');
  const coded: Readonly<Record<string, Buffer>> = {
    gzip: gzipSync(text),
    'x-gzip': gzipSync(text),
    deflate: deflateSync(text),
    br: brotliCompressSync(text),
  };

  test.each(rows)('%s', async (coding, cell) => {
    const { body, fault } = await decodeBody(coded[coding] ?? text, coding, 1_000);
    const isRefused = /^refused: `undecodable`/.test(cell);
    expect(body.toString()).toBe(isRefused ? '' : text.toString());
    expect(fault !== undefined).toBe(isRefused);
    if (isRefused)
      expect((await decodeBody(Buffer.from('<p>'), coding, 9)).body.toString()).toBe('<p>');
  });

  test('are those of the code', () => {
    const toldAs = (word: RegExp) =>
      rows.filter(([, cell]) => word.test(cell ?? '')).map(([coding]) => coding);
    expect(new Set(toldAs(/^decoded/))).toEqual(CODINGS);
    expect(new Set(toldAs(/^as it is/))).toEqual(NO_CODINGS);
  });
});

test('bounds are those of the code', () => {
  const told = rowsOf(sectionOf('docs/answers.md', 'Bounds'), 'What');
  const number = new Intl.NumberFormat('en');
  expect(Object.fromEntries(told)).toEqual({
    'Redirects of a URL': number.format(MAX_HOPS),
    'Redirects in search of a robots.txt': number.format(ROBOTS_MAX_HOPS),
    'Bytes of a robots.txt': number.format(MAX_ROBOTS_BYTES),
    'Header fields of an answer, in bytes': number.format(MAX_HEADER_BYTES),
    'Codings, one on the other': number.format(CODING_LIMIT),
    'Claims of a URL without a settle': number.format(MAX_CLAIMS),
    'Failures in a row before a host rests': number.format(backoff.FAILURES_BEFORE_REST),
    "A host's rest": formatDuration(backoff.MAX_REST_MS),
    'A doubled gap': formatDuration(DOUBLED_GAP_CAP_MS),
    'Doublings of a gap': number.format(backoff.MAX_BACKOFF_LEVEL),
    'Good answers until a gap is halved': number.format(backoff.GOOD_ANSWERS_TO_RECOVER),
    '`Retry-After`': formatDuration(backoff.MAX_RETRY_AFTER_MS),
    'A robots.txt is used without asking again': formatDuration(ROBOTS_TTL_MS),
    "A robots.txt is used that can't be read again": formatDuration(ROBOTS_STALE_MS),
    'The pause before an unreachable robots.txt is asked for again': formatDuration(
      robotsPauseMs(1_000),
    ),
  });
});

const NOTHING_ASKED = { etag: null, lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT' };

function numbersOf(part: string): readonly number[] {
  const [, from, to] = /^(\d{3})(?: to (\d{3}))?$/.exec(part) ?? [];
  return from === undefined ? [] : range(Number(from), Number(to ?? from));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** The code words that a cell begins with, between commas. */
function leadingWords(cell: string): readonly string[] {
  return codeWords(/^(?:`[^`]+`(?:, )?)*/.exec(cell)?.[0] ?? '');
}

/** The words of an outcome, with the reason or remark where it has one. */
function wordsOf(outcome: FetchOutcome): readonly string[] {
  if (outcome.kind === 'failed') return [outcome.kind, outcome.reason];
  return outcome.kind === 'fetched' && outcome.remark !== undefined
    ? [outcome.kind, outcome.remark]
    : [outcome.kind];
}

function wordOf(ms: number | undefined): string {
  return ms === undefined ? 'none' : formatDuration(ms);
}

function failed(reason: FailureReason, status: number | undefined): FetchOutcome {
  return { kind: 'failed', reason, status, detail: '' };
}

/** What becomes of a URL that fails so again and again, in the words of the pages. */
function retriesOf(outcome: FetchOutcome): string {
  const ladderMs = DEFAULT_SETTINGS.retryLadderMs;
  const verdicts = [...ladderMs, 0].map((_, failures) => verdictOf(claimed(failures), outcome, 0));
  const [first] = verdicts;
  if (first === undefined || first.outcome !== 'failed') return first?.outcome ?? '';
  const tries = verdicts.filter((verdict) => verdict.outcome === 'failed').length;
  expect(verdicts.slice(tries).map((verdict) => verdict.outcome)).toContain('dead');
  return tries === 1 ? 'once' : tries === ladderMs.length ? 'ladder' : `${tries} tries`;
}

function claimed(failures: number): ClaimedUrl {
  return {
    crawlId: 1,
    crawl: 'a',
    settings: crawlSettingsOf({ userAgent }),
    keyHash: '',
    requestUrl: url,
    depth: 0,
    hops: 0,
    foundOn: null,
    claims: 1,
    failures,
    putOffMs: 0,
    reserved: false,
    lastAnswer: null,
  };
}
