import { describe, expect, test } from 'vitest';
import { CASES } from '../cases.ts';
import { idsIn, provedIds, standingOf } from './case-report.ts';

describe('the case bank', () => {
  const proved = provedIds();
  const known = CASES.flatMap(({ ids }) => ids);

  test('every case has a test that names it, or a reason why it has none', () => {
    const open = CASES.flatMap((area) =>
      area.ids.filter((id) => standingOf(area, id, proved) === 'not proved'),
    );
    expect(open).toEqual([]);
  });

  test('every case that a test names is in the list', () => {
    expect([...proved].filter((id) => !known.includes(id))).toEqual([]);
  });

  test('a case stands in one area, and a remark is about a case of its area', () => {
    expect(new Set(known).size).toBe(known.length);
    for (const { ids, judgedWrong, notApplicable } of CASES) {
      const remarked = Object.keys({ ...judgedWrong, ...notApplicable });
      expect(remarked.filter((id) => !ids.includes(id))).toEqual([]);
    }
  });
});

test.each([
  { text: "test('cut short [HTP06]')", ids: 'HTP06' },
  { text: "name: '[LNK12, LNK14] two at once'", ids: 'LNK12 LNK14' },
  { text: "{ id: 'RB001', file }", ids: 'RB001' },
  { text: "const [ID1] = [RB001AB]; 'SHA256'; values[HTP]", ids: '' },
])('in $text the ids are "$ids"', ({ text, ids }) => {
  expect(idsIn(text).join(' ')).toBe(ids);
});
