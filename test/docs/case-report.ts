import { CASES, type CaseArea } from '../cases.ts';
import { textOf, trackedFiles } from './pages.ts';

/** What is known of one case. */
export type CaseStanding = 'proved' | 'judged wrong' | 'not applicable' | 'later' | 'not proved';

/** The ids that the tests name: in square brackets in a test's name, or as a string in the rows of its table. */
export function provedIds(): ReadonlySet<string> {
  const files = trackedFiles().filter(
    (path) => /^test\/.*\.ts$/.test(path) && !/^test\/(docs\/case|cases)/.test(path),
  );
  return new Set(files.flatMap((path) => idsIn(textOf(path))));
}

/** The ids that a text names, such as `[HTP06]`, `[LNK12, LNK14]` and `'RB001'`; of the list's families only. */
export function idsIn(text: string): readonly string[] {
  const id = `(?:${[...FAMILIES].join('|')})\\d{2,3}`;
  const named = new RegExp(`\\[(${id}(?:, ?${id})*)\\]|'(${id})'`, 'g');
  return [...text.matchAll(named)].flatMap(([, group, one]) => (group ?? one ?? '').split(/, ?/));
}

const FAMILIES: ReadonlySet<string> = new Set(
  CASES.flatMap(({ ids }) => ids.map((id) => id.replace(/\d+$/, ''))),
);

/** How a case of an area stands. A proof counts more than a remark. */
export function standingOf(
  { later, judgedWrong = {}, notApplicable = {} }: CaseArea,
  id: string,
  proved: ReadonlySet<string>,
): CaseStanding {
  if (proved.has(id)) return 'proved';
  if (id in judgedWrong) return 'judged wrong';
  if (id in notApplicable) return 'not applicable';
  return later === undefined ? 'not proved' : 'later';
}

/** The table that `npm run cases` prints: a line an area, then every case that is not proved, with the reason. */
export function caseReport(): readonly string[] {
  const proved = provedIds();
  const standings = CASES.map((area) => area.ids.map((id) => standingOf(area, id, proved)));
  const rows = CASES.map(({ area }, at) => countRow(area, standings[at] ?? []));
  return [
    line(['area', 'cases', ...STANDINGS]),
    ...rows,
    countRow('all', standings.flat()),
    '',
    ...CASES.flatMap((area) => remarksOf(area, proved)),
  ];
}

const STANDINGS = ['proved', 'judged wrong', 'not applicable', 'later', 'not proved'] as const;

function countRow(area: string, standings: readonly CaseStanding[]): string {
  const counts = STANDINGS.map((one) => standings.filter((standing) => standing === one).length);
  return line([area, String(standings.length), ...counts.map(String)]);
}

function line([area = '', ...cells]: readonly string[]): string {
  const heads = ['cases', ...STANDINGS];
  const set = cells.map((cell, at) => cell.padStart(heads[at]?.length ?? 0));
  return [area.padEnd(20), ...set].join('  ');
}

function remarksOf(area: CaseArea, proved: ReadonlySet<string>): readonly string[] {
  return area.ids.flatMap((id) => {
    const standing = standingOf(area, id, proved);
    if (standing === 'proved' || standing === 'later') return [];
    const reason = area.judgedWrong?.[id] ?? area.notApplicable?.[id];
    return [`${id}  ${standing}${reason === undefined ? '' : `: ${reason}`}`];
  });
}
