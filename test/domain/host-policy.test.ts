import { describe, expect, test } from 'vitest';
import {
  NO_POLICY,
  parsePolicySubject,
  policyRuling,
  policyText,
} from '../../domain/host-policy.ts';
import { parseOpenHours } from '../../domain/open-hours.ts';

const NOW_MS = Date.parse('2026-08-01T12:00:00Z');
const BY_NIGHT = parseOpenHours('22-06') ?? null;
const BY_DAY = parseOpenHours('9-17') ?? null;

describe('the ruling on a request', () => {
  test.each([
    ['nothing is said', {}, 1_000_000, { kind: 'allowed' }],
    ['the last of the day', { pagesADay: 10 }, 10, { kind: 'allowed' }],
    [
      'one more than the day has',
      { pagesADay: 10 },
      11,
      wait('2026-08-02T00:00:00Z', 'pages a day'),
    ],
    ['within the hours', { hours: BY_DAY }, 1, { kind: 'allowed' }],
    ['outside the hours', { hours: BY_NIGHT }, 1, wait('2026-08-01T22:00:00Z', 'hours')],
    [
      'spent, outside the hours',
      { pagesADay: 10, hours: BY_NIGHT },
      11,
      wait('2026-08-02T00:00:00Z', 'pages a day'),
    ],
    [
      'spent, and tomorrow opens later',
      { pagesADay: 10, hours: BY_DAY },
      11,
      wait('2026-08-02T09:00:00Z', 'pages a day'),
    ],
    [
      'excluded, whatever else',
      { excluded: true, pagesADay: 10, hours: BY_DAY },
      1,
      { kind: 'excluded' },
    ],
  ])('%s', (_, said, asked, ruling) => {
    expect(policyRuling({ ...NO_POLICY, ...said }, { asked, nowMs: NOW_MS })).toEqual(ruling);
  });
});

function wait(at: string, because: string): object {
  return { kind: 'notBefore', atMs: Date.parse(at), because };
}

test.each([
  ['WWW.Example.com.', 'www.example.com'],
  ['https://example.com/x', 'example.com'],
  ['domain:Example.com', 'domain:example.com'],
  ['Domain:münchen.example', 'domain:xn--mnchen-3ya.example'],
  ['domain:', undefined],
  ['domain:a/b', undefined],
  ['domain:https://example.com', undefined],
  ['two words', undefined],
])('a policy for "%s" is kept under %s', (typed, subject) => {
  expect(parsePolicySubject(typed)).toBe(subject);
});

test('a policy in words', () => {
  expect(policyText({ gapMs: 5_000, pagesADay: 1_000, hours: BY_NIGHT, excluded: true })).toBe(
    'excluded, gap 5 s, 1000 a day, 22:00-06:00 UTC',
  );
  expect(policyText(NO_POLICY)).toBe('none');
});
