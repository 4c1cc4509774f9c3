import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHttpDateMs } from '../../domain/http-date.ts';

const nowMs = Date.UTC(2026, 2, 1);

test('reads any date as the calendar has it', () => {
  const date = fc.date({
    min: new Date('1900-01-01'),
    max: new Date('2999-12-31'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, (when) => {
      expect(parseHttpDateMs(when.toUTCString(), nowMs)).toBe(
        Math.floor(when.getTime() / 1_000) * 1_000,
      );
    }),
  );
});

test.each([
  { text: 'Sunday, 06-Nov-75 08:49:37 GMT', year: 2075 },
  { text: 'Sunday, 06-Nov-76 08:49:37 GMT', year: 2076 },
  { text: 'Sunday, 06-Nov-77 08:49:37 GMT', year: 1977 },
  { text: 'Sunday, 06-Nov-26 08:49:37 GMT', year: 2026 },
])('a year of two digits lies at most 50 years ahead: $text', ({ text, year }) => {
  expect(parseHttpDateMs(text, nowMs)).toBe(Date.UTC(year, 10, 6, 8, 49, 37));
});
