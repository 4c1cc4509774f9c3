import { expect, test } from 'vitest';

import { leaveAloneUntil } from '../../activities/not-before.ts';

const LONG_MS = 3_600_000;

test('hosts whose gaps have passed are forgotten, however many come', () => {
  const notBefore = new Map<number, number>();

  for (let hostId = 0; hostId < 10_000; hostId += 1) leaveAloneUntil(notBefore, hostId, 0);

  expect(notBefore.size).toBeLessThan(10);
});

test('a host that is still owed a gap is never forgotten, and hides no other', () => {
  const notBefore = new Map<number, number>();
  const owedAtMs = performance.now() + LONG_MS;
  const owed = Array.from({ length: 100 }, (_, n) => n);

  for (const hostId of owed) leaveAloneUntil(notBefore, hostId, owedAtMs + hostId);
  for (let hostId = 100; hostId < 10_000; hostId += 1) leaveAloneUntil(notBefore, hostId, 0);

  expect(owed.map((hostId) => notBefore.get(hostId))).toEqual(owed.map((n) => owedAtMs + n));
  expect(notBefore.size).toBeLessThan(300);
});

test('the last instant written for a host counts', () => {
  const notBefore = new Map<number, number>();
  const atMs = performance.now() + LONG_MS;

  leaveAloneUntil(notBefore, 1, atMs);
  leaveAloneUntil(notBefore, 1, atMs + 5);

  expect([...notBefore]).toEqual([[1, atMs + 5]]);
});
