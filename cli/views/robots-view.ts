import type { RobotsExplanation } from '../../db/explain-robots.ts';
import { formatDuration } from '../../domain/duration.ts';
import { harmless } from './ansi.ts';
import { table, when } from './explanation-view.ts';

/** Why robots.txt allows or forbids a URL, in one screen (R20). */
export function robotsLines(robots: RobotsExplanation, nowMs: number): readonly string[] {
  const { url, lines, line, sitemaps, crawlDelayMs } = robots;
  return [
    ...table(url, [
      ['decision', decisionText(robots)],
      ['file', fileText(robots, nowMs)],
      ['agent', agentText(robots)],
      ...(crawlDelayMs === null
        ? []
        : [['delay', `Crawl-delay ${formatDuration(crawlDelayMs)}`] as const]),
      ...sitemaps.slice(0, MOST_SITEMAPS).map((sitemap) => ['sitemap', sitemap] as const),
      ...(sitemaps.length > MOST_SITEMAPS
        ? [['sitemap', `and ${sitemaps.length - MOST_SITEMAPS} more`] as const]
        : []),
    ]),
    ...lines.map((written) => lineText(written, written.line === line)),
  ];
}

const MOST_SITEMAPS = 5;
const MOST_LETTERS = 200;

function decisionText({ allowed, access, line, rule }: RobotsExplanation): string {
  const word = allowed === true ? 'allowed' : 'forbidden';
  switch (access) {
    case null:
      return 'not known: the file has not been read yet';
    case 'allowAll':
      return `${word}: there is no such file`;
    case 'unreachable':
      return `${word}: the file is unreachable${allowed === true ? ', and left aside by --robots-open-after' : ''}`;
    case 'rules':
      return rule === null ? `${word}: no rule matches` : `${word} by line ${line}: ${rule}`;
  }
}

function fileText(robots: RobotsExplanation, nowMs: number): string {
  const { file, access, status, fetchedAt, againAt, unreachableSince } = robots;
  const read =
    fetchedAt === null || access === 'unreachable' ? [] : [`read ${when(fetchedAt, nowMs)}`];
  const trouble =
    unreachableSince === null ? [] : [`unreachable since ${when(unreachableSince, nowMs)}`];
  return [
    file,
    ...(status === null ? [] : [`status ${status}`]),
    ...read,
    ...trouble,
    ...(againAt === null ? [] : [`again ${when(againAt, nowMs)}`]),
  ].join(', ');
}

function agentText({ agent, group }: RobotsExplanation): string {
  switch (group) {
    case 'us':
      return `${agent}, by the groups that name it`;
    case 'everyone':
      return `${agent}, by the groups for everyone`;
    case 'nobody':
      return `${agent}, whom no group is for`;
    case null:
      return agent;
  }
}

function lineText({ line, text }: RobotsExplanation['lines'][number], decides: boolean): string {
  const shown = text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
  return harmless(`  ${decides ? '>' : ' '} ${String(line).padStart(5)}  ${shown}`);
}
