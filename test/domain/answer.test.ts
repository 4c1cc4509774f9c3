import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomeOfAnswer } from '../../domain/answer.ts';
import { robotsAccessOf, robotsPauseMs } from '../../domain/robots-access.ts';
import { retryAfterFailureMs } from '../../domain/retry.ts';
import type { FetchOutcome } from '../../domain/outcome.ts';
import { requestUrl } from './request-url-of.ts';

const url = requestUrl('https://a.test/dir/page');

describe('outcomeOfAnswer', () => {
  test.each([200, 204, 206, 300, 304, 400, 401, 404, 410, 418, 451])('%i is final', (status) => {
    expect(outcomeOfAnswer({ url, status })).toEqual({ kind: 'fetched', status });
  });

  test.each([429, 503])('%i puts the URL off, with what the host asked for', (status) => {
    expect(outcomeOfAnswer({ url, status, retryAfter: '9' })).toEqual({
      kind: 'putOff',
      status,
      retryAfter: '9',
    });
    expect(outcomeOfAnswer({ url, status })).toEqual({
      kind: 'putOff',
      status,
      retryAfter: undefined,
    });
  });

  test.each([500, 501, 502, 504, 599, 408, 425])('%i climbs the retry ladder', (status) => {
    expect(outcomeOfAnswer({ url, status })).toMatchObject({
      kind: 'failed',
      reason: 'serverError',
      status,
    });
  });

  test.each([301, 302, 303, 307, 308])('%i is one hop to its Location', (status) => {
    expect(outcomeOfAnswer({ url, status, location: '../up#part' })).toEqual({
      kind: 'redirected',
      status,
      location: 'https://a.test/up',
    });
  });

  test.each([
    undefined,
    'mailto:a@a.test',
    'file:///x',
    'javascript:alert(1)',
    'http://',
    'https://[x/',
  ])('a redirect to %s is final', (location) => {
    expect(outcomeOfAnswer({ url, status: 302, location })).toEqual({
      kind: 'fetched',
      status: 302,
    });
  });

  test('a Location without a redirect is no hop', () => {
    expect(outcomeOfAnswer({ url, status: 201, location: '/new' })).toEqual({
      kind: 'fetched',
      status: 201,
    });
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), fc.string(), (status, location) => {
        expect(outcomeOfAnswer({ url, status, location }).kind).toBeTypeOf('string');
      }),
    );
  });
});

describe('robotsAccessOf', () => {
  const accessOf = (status: number, location?: string) =>
    robotsAccessOf(outcomeOfAnswer({ url, status, location }));

  test.each([
    { law: 'a file is obeyed', status: 200, access: 'rules' },
    { law: 'no file allows everything', status: 404, access: 'allowAll' },
    { law: 'a locked one too', status: 403, access: 'allowAll' },
    { law: 'a hop to nowhere too', status: 302, access: 'allowAll' },
    { law: 'asking too often allows nothing', status: 429, access: 'unreachable' },
    { law: 'a busy server allows nothing', status: 503, access: 'unreachable' },
    { law: 'nor does a broken one', status: 500, access: 'unreachable' },
    {
      law: 'a 4xx that would be retried for a page is a 4xx here',
      status: 408,
      access: 'allowAll',
    },
  ])('$law ($status)', ({ status, access }) => {
    expect(accessOf(status)).toBe(access);
  });

  test('a hop to somewhere is followed', () => {
    expect(accessOf(301, '/r')).toBe('redirected');
  });

  test('no answer allows nothing', () => {
    const refused: FetchOutcome = {
      kind: 'failed',
      reason: 'connectFailed',
      status: undefined,
      detail: 'refused',
    };

    expect(robotsAccessOf(refused)).toBe('unreachable');
  });
});

test('an unreachable robots.txt is asked for ever more seldom, down to once an hour', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 50].map(robotsPauseMs)).toEqual([
    10_000, 30_000, 90_000, 270_000, 810_000, 2_430_000, 3_600_000, 3_600_000,
  ]);
});

test('the retry ladder gives a wait for each failure, then the URL is dead', () => {
  const ladderMs = [3_600_000, 21_600_000, 86_400_000];

  expect([1, 2, 3, 4, 9].map((failures) => retryAfterFailureMs(failures, ladderMs))).toEqual([
    ...ladderMs,
    'dead',
    'dead',
  ]);
  expect(retryAfterFailureMs(1, [])).toBe('dead');
});
