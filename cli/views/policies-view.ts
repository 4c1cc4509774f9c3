import type { StoredPolicy } from '../../db/host-policies.ts';
import { formatDuration } from '../../domain/duration.ts';
import { count, instant } from './quantities.ts';
import { tableLines, type Column } from './table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'FOR', narrowest: 16, dropped: 0 },
  { title: 'GAP', align: 'right', dropped: 0 },
  { title: 'A DAY', align: 'right', dropped: 0 },
  { title: 'HOURS', narrowest: 12, dropped: 0 },
  { title: 'EXCLUDED', dropped: 0 },
  { title: 'SET', narrowest: 12, dropped: 1 },
];

/** The policies as a table. */
export function policiesLines(
  policies: readonly StoredPolicy[],
  look: { readonly width: number; readonly colours: boolean },
): readonly string[] {
  const rows = policies.map(({ subject, gapMs, pagesADay, hours, excluded, setBy, setAt }) => [
    subject,
    gapMs === null ? '–' : formatDuration(gapMs),
    pagesADay === null ? '–' : count(pagesADay),
    hours?.text ?? '–',
    excluded ? 'yes' : 'no',
    `by ${setBy}, ${instant(setAt)}`,
  ]);
  return tableLines(COLUMNS, rows, look);
}

/** One policy as JSON on one line. */
export function policyJson({ hours, ...policy }: StoredPolicy): string {
  return JSON.stringify({ kind: 'policy', ...policy, hours: hours?.text ?? null });
}
