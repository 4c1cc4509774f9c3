import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomeOfAnswer } from '../../domain/answer.ts';
import { robotsAccessOf, robotsPauseMs } from '../../domain/robots-access.ts';
import { isLastTry, retryAfterFailureMs } from '../../domain/retry.ts';
import type { FailureReason, FetchOutcome } from '../../domain/outcome.ts';
import { requestUrl } from './request-url-of.ts';

const url = requestUrl('https://a.test/dir/page');

describe('outcomeOfAnswer', () => {
  test.each([200, 204, 205, 299, 300, 304, 399, 400, 403, 407, 418, 499])(
    '%i is final',
    (status) => {
      expect(outcomeOfAnswer({ url, status, location: '/x' })).toEqual({ kind: 'fetched', status });
    },
  );

  test.each([401, 404, 410, 451])('%i is final: asking again changes nothing [RTY13]', (status) => {
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

  test('a part that nobody asked for is told from the whole', () => {
    expect(outcomeOfAnswer({ url, status: 206 })).toEqual({
      kind: 'fetched',
      status: 206,
      remark: 'partial content',
    });
  });

  test.each([500, 501, 502, 504, 599, 600, 799, 999, 408, 425])(
    '%i climbs the retry ladder',
    (status) => {
      expect(outcomeOfAnswer({ url, status })).toMatchObject({
        kind: 'failed',
        reason: 'serverError',
        status,
      });
    },
  );

  test.each([301, 302, 303, 307, 308])('%i is one hop to its Location', (status) => {
    expect(outcomeOfAnswer({ url, status, location: '../up#part' })).toEqual({
      kind: 'redirected',
      status,
      location: 'https://a.test/up',
    });
  });

  test.each([
    'mailto:a@a.test',
    'file:///x.txt',
    'ftp://a.test/x',
    'data:text/html,<a href=/z>',
    'javascript:alert(1)',
    's3://bucket/key',
    'http://',
    'https://[x/',
  ])('a redirect to %s is final [RED05]', (location) => {
    expect(outcomeOfAnswer({ url, status: 302, location })).toEqual({
      kind: 'fetched',
      status: 302,
      remark: 'redirect to no web address',
    });
  });

  test.each([undefined, '', ' \t'])('a redirect to "%s" is final, not a loop', (location) => {
    expect(outcomeOfAnswer({ url, status: 301, location })).toEqual({
      kind: 'fetched',
      status: 301,
      remark: 'redirect without a Location',
    });
  });

  test.each([
    { form: 'another scheme', location: 'http://a.test/dir/page', to: 'http://a.test/dir/page' },
    { form: 'no scheme', location: '//b.test', to: 'https://b.test/' },
    { form: 'a path', location: '/y#part', to: 'https://a.test/y' },
    { form: 'a query', location: '?q', to: 'https://a.test/dir/page?q' },
    { form: 'a fragment', location: '#part', to: 'https://a.test/dir/page' },
    { form: 'a password', location: 'https://u:s3cret@a.test/', to: 'https://a.test/' },
    { form: 'backslashes', location: '\\\\b.test\\x', to: 'https://b.test/x' },
    { form: 'line ends', location: '/a\r\nb', to: 'https://a.test/ab' },
    { form: 'other scripts', location: '/é', to: 'https://a.test/%C3%A9' },
  ])('a Location may be $form [RED13]', ({ location, to }) => {
    expect(outcomeOfAnswer({ url, status: 308, location })).toEqual({
      kind: 'redirected',
      status: 308,
      location: to,
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

  test.each(['cutShort', 'undecodable', 'pageTimeout'] as const)(
    'half a file allows nothing: %s',
    (reason) => {
      const broken: FetchOutcome = { kind: 'failed', reason, status: 200, detail: '' };

      expect(robotsAccessOf(broken)).toBe('unreachable');
    },
  );

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

describe('the retry ladder', () => {
  const ladderMs = [3_600_000, 21_600_000, 86_400_000];
  const waits = (reason: FailureReason) =>
    [1, 2, 3, 4, 9].map((failures) => retryAfterFailureMs(failures, ladderMs, reason));

  test.each([
    'serverError',
    'connectionLost',
    'connectTimeout',
    'cutShort',
    'nameServerFailed',
  ] as const)('gives a wait for each failure, then the URL is dead: %s [RTY14]', (reason) => {
    expect(waits(reason)).toEqual([...ladderMs, 'dead', 'dead']);
  });

  test.each([
    { reason: 'nameNotFound', id: 'RTY14' },
    { reason: 'tlsFailed', id: 'DNS04' },
    { reason: 'malformedAnswer', id: 'HTP09] [HTP10' },
    { reason: 'undecodable', id: 'CMP07' },
  ] as const)('has one step for a fault that lasts: $reason [$id]', ({ reason }) => {
    expect(waits(reason)).toEqual([ladderMs[0], 'dead', 'dead', 'dead', 'dead']);
  });

  test('may have no step at all', () => {
    expect(retryAfterFailureMs(1, [], 'connectFailed')).toBe('dead');
    expect(isLastTry(0, [])).toBe(true);
  });

  test('knows the last try before it is made', () => {
    for (const failures of [0, 1, 2, 3, 4]) {
      const isLast = retryAfterFailureMs(failures + 1, ladderMs, 'cutShort') === 'dead';
      expect(isLastTry(failures, ladderMs)).toBe(isLast);
    }
  });
});
