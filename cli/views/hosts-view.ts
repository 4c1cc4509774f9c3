import type { ListedHost } from '../../db/list-hosts.ts';
import { formatDuration } from '../../domain/duration.ts';
import { gapReasonText } from '../../domain/gap-reason.ts';
import { count, instant } from './quantities.ts';
import { tableLines } from './table.ts';
import type { Column } from './table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'HOST', narrowest: 16, dropped: 0 },
  { title: 'STATE', dropped: 0 },
  { title: 'NEXT', dropped: 1 },
  { title: 'QUEUE', align: 'right', dropped: 3 },
  { title: 'PAGES', align: 'right', dropped: 4 },
  { title: 'GAP', align: 'right', dropped: 2 },
  { title: 'BECAUSE', narrowest: 16, dropped: 7 },
  { title: 'LEFT', align: 'right', dropped: 5 },
  { title: 'LAST', narrowest: 12, dropped: 6 },
];

const HELD_BY: Column = { title: 'HELD BY', narrowest: 20, dropped: 2 };

/** The hosts as a table; the clock comes in, so that the same hosts give the same text. */
export function hostsLines(
  hosts: readonly ListedHost[],
  look: { readonly width: number; readonly colours: boolean; readonly nowMs: number },
): readonly string[] {
  const isAnyHeld = hosts.some(({ hold }) => hold !== null);
  const columns = isAnyHeld ? [...COLUMNS, HELD_BY] : COLUMNS;
  const rows = hosts.map((host) => rowOf(host, look.nowMs));
  return tableLines(columns, rows, look);
}

/** One host as JSON on one line. Instants are ISO 8601. */
export function hostJson(host: ListedHost): string {
  const because = gapReasonText(host.gapReason);
  return JSON.stringify({ kind: 'host', ...host, gapBecause: because });
}

function rowOf(host: ListedHost, nowMs: number): readonly string[] {
  const { queued, queuedIsMore, assigned, pages, gapMs, timeLeftMs, lastFetch, hold } = host;
  const more = queuedIsMore ? '+' : '';
  const urls = `${count(queued)}${more}${assigned > 0 ? ` + ${count(assigned)}` : ''}`;
  return [
    host.host,
    host.state,
    nextOf(host, nowMs),
    urls,
    count(pages),
    gapMs === 0 ? '–' : formatDuration(gapMs),
    gapReasonText(host.gapReason),
    leftOf(timeLeftMs, more),
    lastFetch === null ? 'none yet' : lastOf(lastFetch, nowMs),
    hold === null ? '' : heldBy(hold, nowMs),
  ];
}

function leftOf(timeLeftMs: number | null, more: string): string {
  if (timeLeftMs === null) return '?';
  return timeLeftMs === 0 ? '–' : `${formatDuration(timeLeftMs)}${more}`;
}

function nextOf({ hold, nextAllowedAt }: ListedHost, nowMs: number): string {
  if (hold !== null) return hold.until === null ? '–' : distance(hold.until, nowMs);
  return nextAllowedAt === null ? 'now' : distance(nextAllowedAt, nowMs);
}

function distance(at: Date, nowMs: number): string {
  const aheadMs = at.getTime() - nowMs;
  return aheadMs <= 0 ? 'now' : `in ${formatDuration(aheadMs)}`;
}

function lastOf(
  { outcome, status, reason, at }: NonNullable<ListedHost['lastFetch']>,
  nowMs: number,
): string {
  const said = [outcome, status === null ? reason : String(status)].filter((part) => part !== null);
  const agoMs = Math.max(0, nowMs - at.getTime());
  return `${said.join(' ')}, ${formatDuration(agoMs)} ago`;
}

function heldBy({ who, why, until }: NonNullable<ListedHost['hold']>, nowMs: number): string {
  const end =
    until === null ? 'until resumed' : `until ${instant(until)} (${distance(until, nowMs)})`;
  return `${who}, "${why}", ${end}`;
}
