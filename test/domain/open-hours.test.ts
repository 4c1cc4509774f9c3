import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOpenAt, opensAtMs, parseOpenHours, type OpenHours } from '../../domain/open-hours.ts';

function hours(text: string): OpenHours {
  const read = parseOpenHours(text);
  if (read === undefined) throw new Error(`No hours: ${text}`);
  return read;
}

describe('hours as people type them', () => {
  test.each([
    ['22-06', '22:00-06:00 UTC'],
    ['8:30-17 Europe/Berlin', '08:30-17:00 Europe/Berlin'],
    ['18-24', '18:00-00:00 UTC'],
    [' 0-6   America/New_York ', '00:00-06:00 America/New_York'],
  ])('%s is %s, which is read again', (typed, text) => {
    expect(hours(typed).text).toBe(text);
    expect(parseOpenHours(text)).toEqual(hours(typed));
  });

  test.each([
    '',
    '22',
    '22-',
    '25-06',
    '22-06:60',
    '22-22',
    '0-24',
    '-1-5',
    '22-06 Mars/Base',
    '22h-6h',
    '22-06 UTC x',
  ])('"%s" is refused', (typed) => {
    expect(parseOpenHours(typed)).toBeUndefined();
  });
});

describe('a host with hours', () => {
  test.each([
    ['22-06', '2026-08-01T21:59:59Z', '2026-08-01T22:00:00Z'],
    ['22-06', '2026-08-01T22:00:00Z', '2026-08-01T22:00:00Z'],
    ['22-06', '2026-08-02T05:59:59Z', '2026-08-02T05:59:59Z'],
    ['22-06', '2026-08-02T06:00:00Z', '2026-08-02T22:00:00Z'],
    ['09-17', '2026-08-02T17:00:00Z', '2026-08-03T09:00:00Z'],
    // Summer time in Berlin is UTC + 2, winter time UTC + 1.
    ['22-06 Europe/Berlin', '2026-08-01T12:00:00Z', '2026-08-01T20:00:00Z'],
    ['22-06 Europe/Berlin', '2026-12-01T12:00:00Z', '2026-12-01T21:00:00Z'],
    // The clock goes from 02:00 to 03:00: half past two isn't there, and what lies within is tomorrow's.
    ['2:30-5 Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z'],
    ['2:10-2:50 Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-30T00:10:00Z'],
    ['4-6 Europe/Berlin', '2026-03-28T23:30:00Z', '2026-03-29T02:00:00Z'],
    // And back from 03:00 to 02:00: half past two is there twice.
    ['2:30-2:45 Europe/Berlin', '2026-10-25T00:50:00Z', '2026-10-25T01:30:00Z'],
  ])('%s, at %s, is open from %s on', (text, at, then) => {
    expect(opensAtMs(hours(text), Date.parse(at))).toBe(Date.parse(then));
  });

  test('is open at the time that is told, and at no whole minute before', () => {
    const minute = fc.integer({ min: 0, max: 1_439 });
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    );
    const at = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-12-31') });
    fc.assert(
      fc.property(minute, minute, zone, at, (fromMinute, toMinute, zone, nowMs) => {
        fc.pre(fromMinute !== toMinute);
        const open = { text: '', fromMinute, toMinute, zone };
        const thenMs = opensAtMs(open, nowMs);
        expect(isOpenAt(open, thenMs)).toBe(true);
        for (let ms = nowMs; ms < thenMs; ms += 60_000) expect(isOpenAt(open, ms)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
