import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  GOOD_ANSWERS_TO_RECOVER,
  healthAfter,
  HEALTHY,
  hostRestMs,
  MAX_BACKOFF_LEVEL,
  retryAfterMs,
  type HostHealth,
} from '../../domain/backoff.ts';
import type { FailureReason, FetchOutcome } from '../../domain/outcome.ts';

const good: FetchOutcome = { kind: 'fetched', status: 200 };
const busy: FetchOutcome = { kind: 'putOff', status: 503, retryAfter: undefined };
const failed = (reason: FailureReason, status?: number): FetchOutcome => ({
  kind: 'failed',
  reason,
  status,
  detail: '',
});
const broken = failed('serverError', 500);
const gone = failed('connectTimeout');

const after = (...outcomes: FetchOutcome[]): HostHealth => outcomes.reduce(healthAfter, HEALTHY);
const times = (count: number, outcome: FetchOutcome): FetchOutcome[] =>
  Array.from({ length: count }, () => outcome);

describe('the backoff level', () => {
  test('rises with every answer that puts us off, up to a cap', () => {
    expect(after(busy).backoffLevel).toBe(1);
    expect(after(busy, busy, busy).backoffLevel).toBe(3);
    expect(after(...times(50, busy)).backoffLevel).toBe(MAX_BACKOFF_LEVEL);
  });

  test('comes down one step after a run of good answers, and no sooner', () => {
    const raised = [busy, busy];

    expect(after(...raised, ...times(GOOD_ANSWERS_TO_RECOVER - 1, good)).backoffLevel).toBe(2);
    expect(after(...raised, ...times(GOOD_ANSWERS_TO_RECOVER, good)).backoffLevel).toBe(1);
    expect(after(...raised, ...times(2 * GOOD_ANSWERS_TO_RECOVER, good))).toEqual(HEALTHY);
  });

  test.each([
    { what: 'a server error', outcome: broken },
    { what: 'a lost connection', outcome: failed('connectionLost') },
    { what: 'being put off', outcome: busy },
  ])('starts the run anew after $what', ({ outcome }) => {
    const run = after(busy, ...times(GOOD_ANSWERS_TO_RECOVER - 1, good), outcome, good);

    expect(run.goodAnswers).toBe(1);
    expect(run.backoffLevel).toBeGreaterThanOrEqual(1);
  });

  test('takes any final answer for a good one: a missing page is no sign of load', () => {
    const answers: FetchOutcome[] = [
      { kind: 'fetched', status: 404 },
      { kind: 'redirected', status: 301, location: 'https://a.test/' },
      good,
      good,
      good,
    ];

    expect(after(busy, ...answers)).toEqual(HEALTHY);
  });

  test('is not touched by failures, which have a rest of their own', () => {
    expect(after(busy, gone, broken).backoffLevel).toBe(1);
  });
});

describe('failures in a row', () => {
  test('are counted until the host answers anything', () => {
    expect(after(gone, gone, gone).failuresInARow).toBe(3);
    for (const answer of [good, busy, broken])
      expect(after(gone, gone, answer).failuresInARow).toBe(0);
  });

  test.each(['leaseLost', 'addressRefused', 'portRefused', 'http1Required'] as const)(
    '%s is ours, not the host’s',
    (reason) => {
      const health = after(busy, good, gone);

      expect(healthAfter(health, failed(reason))).toEqual(health);
    },
  );

  test.each([
    { failuresInARow: 0, restMs: 0 },
    { failuresInARow: 4, restMs: 0 },
    { failuresInARow: 5, restMs: 60_000 },
    { failuresInARow: 6, restMs: 120_000 },
    { failuresInARow: 10, restMs: 1_920_000 },
    { failuresInARow: 11, restMs: 3_600_000 },
    { failuresInARow: 10_000, restMs: 3_600_000 },
  ])('$failuresInARow of them rest a host for $restMs ms', ({ failuresInARow, restMs }) => {
    expect(hostRestMs({ ...HEALTHY, failuresInARow })).toBe(restMs);
  });
});

test('health stays within its bounds whatever a host does', () => {
  const outcome = fc.constantFrom(good, busy, broken, gone, failed('leaseLost'));
  fc.assert(
    fc.property(fc.array(outcome, { maxLength: 200 }), (outcomes) => {
      const { backoffLevel, goodAnswers, failuresInARow } = after(...outcomes);

      expect(backoffLevel).toBeGreaterThanOrEqual(0);
      expect(backoffLevel).toBeLessThanOrEqual(MAX_BACKOFF_LEVEL);
      expect(goodAnswers).toBeLessThan(GOOD_ANSWERS_TO_RECOVER);
      expect(failuresInARow).toBeLessThanOrEqual(outcomes.length);
    }),
  );
});

describe('retryAfterMs', () => {
  const nowMs = Date.UTC(2026, 2, 1, 12, 0, 0);

  test.each([
    { form: 'seconds', header: '120', waitMs: 120_000 },
    { form: 'no time at all', header: '0', waitMs: 0 },
    { form: 'blanks round it', header: ' 7 ', waitMs: 7_000 },
    { form: 'a date [RTY02]', header: 'Sun, 01 Mar 2026 12:05:00 GMT', waitMs: 300_000 },
    {
      form: 'a date of RFC 850 [RTY04]',
      header: 'Sunday, 01-Mar-26 12:05:00 GMT',
      waitMs: 300_000,
    },
    { form: 'a date of asctime', header: 'Sun Mar  1 12:05:00 2026', waitMs: 300_000 },
    { form: 'a date in small letters', header: 'sun, 01 mar 2026 12:05:00 gmt', waitMs: 300_000 },
    { form: 'a leap day', header: 'Tue, 29 Feb 2028 00:00:00 GMT', waitMs: 86_400_000 },
    { form: 'a date that has passed [RTY09]', header: 'Sun, 01 Mar 2020 00:00:00 GMT', waitMs: 0 },
    { form: 'a date of the last century', header: 'Sunday, 06-Nov-94 08:49:37 GMT', waitMs: 0 },
    { form: 'more than a day', header: '100000000', waitMs: 86_400_000 },
    { form: 'more than a number holds', header: '9'.repeat(400), waitMs: 86_400_000 },
  ])('reads $form', ({ header, waitMs }) => {
    expect(retryAfterMs(header, nowMs)).toBe(waitMs);
  });

  test.each([
    undefined,
    '',
    '-5',
    '+5',
    '1.5',
    '120, 60',
    '5 s',
    'soon',
    '1e3',
    '0x10',
    '12:05',
    'Sun, 01 Mrz 2026 12:05:00 GMT',
    'Sun, 41 Mar 2026 12:05:00 GMT',
  ])('"%s" says nothing [RTY05] [RTY06]', (header) => {
    expect(retryAfterMs(header, nowMs)).toBeUndefined();
  });

  test('reads every date that JavaScript writes', () => {
    const date = fc.date({
      min: new Date(nowMs),
      max: new Date(nowMs + 86_400_000),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, (when) => {
        const wholeSecondsMs = Math.floor(when.getTime() / 1_000) * 1_000;

        expect(retryAfterMs(when.toUTCString(), nowMs)).toBe(wholeSecondsMs - nowMs);
      }),
    );
  });

  test('never throws, and never gives a wait outside a day', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const waitMs = retryAfterMs(header, nowMs) ?? 0;

        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(86_400_000);
      }),
    );
  });
});
