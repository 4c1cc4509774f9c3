import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseW3cDateMs } from '../../domain/w3c-date.ts';

const isoOf = (text: string): string | undefined => {
  const ms = parseW3cDateMs(text);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

test.each([
  ['2025', '2025-01-01T00:00:00.000Z'],
  ['2025-06', '2025-06-01T00:00:00.000Z'],
  ['2025-06-07', '2025-06-07T00:00:00.000Z'],
  ['2025-06-07T08:09:10+02:00', '2025-06-07T06:09:10.000Z'],
  ['2025-06-07T08:09Z', '2025-06-07T08:09:00.000Z'],
  ['2025-06-07T08:09:10.5-0330', '2025-06-07T11:39:10.500Z'],
  ['\n 2024-02-29 ', '2024-02-29T00:00:00.000Z'],
  ['2025-06-07 08:09:10', '2025-06-07T08:09:10.000Z'],
])('%j is %s [MAP08]', (text, iso) => {
  expect(isoOf(text)).toBe(iso);
});

test.each(['not a date', '', '2025-13', '2025-00-01', '2025-02-29', '2025-06-31', '25-06-07'])(
  '%j is no date [MAP08, DBS13]',
  (text) => {
    expect(parseW3cDateMs(text)).toBeUndefined();
  },
);

test.each(['2025-06-07T24:00Z', '2025-06-07T08:60Z', '2025-06-07T08:09+25:00', '2025-06-07T08'])(
  '%j is no time',
  (text) => {
    expect(parseW3cDateMs(text)).toBeUndefined();
  },
);

test('every instant that is written down is read back', () => {
  const date = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, (instant) => {
      expect(parseW3cDateMs(instant.toISOString())).toBe(instant.getTime());
    }),
  );
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([undefined, 'number']).toContain(
        parseW3cDateMs(text) === undefined ? undefined : typeof parseW3cDateMs(text),
      );
    }),
  );
});
