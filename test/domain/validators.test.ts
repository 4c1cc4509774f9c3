import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conditionsOf, isOfAnother, validatorsOf } from '../../domain/validators.ts';

const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';

describe('a tag', () => {
  test.each(['"v1"', 'W/"v1"', '""', '"a,b"', '"!#~"', `"${'x'.repeat(510)}"`])(
    '%s goes back as it came',
    (etag) => {
      expect(conditionsOf(validatorsOf(etag, undefined) ?? NONE)).toEqual([
        ['if-none-match', etag],
      ]);
    },
  );

  test.each([
    ['without quotes', 'v1'],
    ['that means any', '*'],
    ['with a line end', '"a\r\nX: y"'],
    ['with a control character', '"a\u0000"'],
    ['with a tab', '"a\tb"'],
    ['with bytes beyond ASCII', '"é"'],
    ['with a space', '"a b"'],
    ['with a quote inside', '"a", "b"'],
    ['with a wrong mark of weakness', 'w/"a"'],
    ['of which nothing came', ''],
    ['that is too long', `"${'x'.repeat(511)}"`],
  ])('%s is not sent', (_law, etag) => {
    expect(validatorsOf(etag, undefined)).toBeUndefined();
  });
});

describe('a date', () => {
  test.each([DATE, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    '%s goes back as it came [REC05]',
    (lastModified) => {
      expect(conditionsOf(validatorsOf(undefined, lastModified) ?? NONE)).toEqual([
        ['if-modified-since', lastModified],
      ]);
    },
  );

  test.each(['yesterday', '0', '', '2026-01-01T00:00:00Z', `${DATE}\n`, `${'x'.repeat(600)}, 1`])(
    '%j is none, and is not sent',
    (lastModified) => {
      expect(validatorsOf(undefined, lastModified)).toBeUndefined();
    },
  );
});

test('a tag that is none leaves the date', () => {
  expect(validatorsOf('v1', DATE)).toEqual({ etag: null, lastModified: DATE });
});

test('whatever a host says, what is sent again is short printable ASCII', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      for (const [etag, date] of [
        [one, other],
        [`"${one}"`, `${DATE}${other}`],
      ]) {
        for (const [, value] of conditionsOf(validatorsOf(etag, date) ?? NONE)) {
          expect(value).toMatch(/^[\x20-\x7e]{1,512}$/u);
        }
      }
    }),
  );
});

test.each([
  { sent: '"a"', given: '"a"', another: false },
  { sent: '"a"', given: 'W/"a"', another: false },
  { sent: 'W/"a"', given: '"a"', another: false },
  { sent: '"a"', given: '"b"', another: true },
  { sent: 'W/"a"', given: 'W/"b"', another: true },
  { sent: '"a"', given: undefined, another: false },
  { sent: '"a"', given: 'no tag', another: false },
  { sent: null, given: '"b"', another: false },
])('of a 304 for $given to a question about $sent: another one is meant, $another', (row) => {
  expect(isOfAnother({ etag: row.sent, lastModified: DATE }, row.given)).toBe(row.another);
});

const NONE = { etag: null, lastModified: null };
