import { hostKeyOf, originOf } from '../domain/host-key.ts';
import type { RequestUrl } from '../domain/request-url.ts';
import type { RobotsAccess } from '../domain/robots-access.ts';
import { writtenLines } from '../domain/robots-file.ts';
import {
  decodeRobots,
  parseRobots,
  productTokenOf,
  robotsVerdict,
  type RobotsRules,
  type RobotsVerdict,
} from '../domain/robots.ts';
import type { Db } from './pool.ts';
import { robotsOf, type StoredRobots } from './robots.ts';

/** What a stored robots.txt says of a URL, and what is known of the file (R20). */
export interface RobotsExplanation {
  readonly url: RequestUrl;
  readonly file: string;
  /** The product token that its groups were asked for. */
  readonly agent: string;
  /** `null` where the file was never read. */
  readonly access: RobotsAccess | null;
  /** `null` where nobody knows yet. */
  readonly allowed: boolean | null;
  readonly line: number | null;
  readonly rule: string | null;
  readonly group: RobotsRules['group'] | null;
  readonly status: number | null;
  readonly fetchedAt: Date | null;
  /** When it is asked for again, if a page is wanted then. */
  readonly againAt: Date | null;
  readonly unreachableSince: Date | null;
  readonly crawlDelayMs: number | null;
  readonly sitemaps: readonly string[];
  /** The line that decides and those round it, as they are written. */
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

/** For whom a file is read; `openAfterMs` is the crawl's setting. */
export interface RobotsReader {
  readonly userAgent: string;
  readonly openAfterMs: number | null;
}

/** Explains by what is stored; nobody is asked. */
export async function explainRobots(
  db: Db,
  url: RequestUrl,
  reader: RobotsReader,
): Promise<RobotsExplanation> {
  const origin = originOf(url);
  const stored = await robotsOf(db, hostKeyOf(url), origin);
  const judged = stored?.access === 'rules' ? judgement(stored, url, reader.userAgent) : undefined;
  return {
    url,
    file: `${origin}/robots.txt`,
    agent: productTokenOf(reader.userAgent),
    access: stored?.access ?? null,
    allowed: judged?.verdict.allowed ?? allowedWithoutRules(stored, reader),
    line: judged?.verdict.line ?? null,
    rule: judged?.verdict.rule ?? null,
    group: judged?.rules.group ?? null,
    status: stored?.status ?? null,
    fetchedAt: stored?.fetchedAt ?? null,
    againAt: stored?.expiresAt ?? stored?.retryAt ?? null,
    unreachableSince: stored?.unreachableSince ?? null,
    crawlDelayMs: judged?.rules.crawlDelayMs ?? null,
    sitemaps: judged?.rules.sitemaps ?? [],
    lines: linesRound(judged?.text ?? '', judged?.verdict.line),
  };
}

/** What the rules of a file that was read say of a URL. */
export function judgement(
  { body }: StoredRobots,
  url: RequestUrl,
  userAgent: string,
): { readonly text: string; readonly rules: RobotsRules; readonly verdict: RobotsVerdict } {
  const text = decodeRobots(body ?? new Uint8Array());
  const rules = parseRobots(text, productTokenOf(userAgent));
  return { text, rules, verdict: robotsVerdict(rules, url) };
}

function allowedWithoutRules(
  stored: StoredRobots | undefined,
  { openAfterMs }: RobotsReader,
): boolean | null {
  if (stored?.access == null) return null;
  if (stored.access !== 'unreachable') return true;
  const forMs = Date.now() - (stored.unreachableSince?.getTime() ?? Date.now());
  return openAfterMs !== null && forMs >= openAfterMs;
}

/** How many lines are shown before and after the one that decides. */
const LINES_ROUND = 3;

function linesRound(text: string, deciding: number | undefined): RobotsExplanation['lines'] {
  if (deciding === undefined) return [];
  return [...writtenLines(text)].filter(({ line }) => Math.abs(line - deciding) <= LINES_ROUND);
}
