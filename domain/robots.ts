import robotsParserModule from 'robots-parser';
import { withEverythingEscaped, withOneSpelling } from './percent-encoding.ts';
import type { RequestUrl } from './request-url.ts';
import { robotsLines, type RobotsLine } from './robots-file.ts';

export { decodeRobots, MAX_ROBOTS_BYTES } from './robots-file.ts';

declare const robotsRulesBrand: unique symbol;

/** The rules of one robots.txt that apply to one product token; opaque, made by `parseRobots`. */
export interface RobotsRules {
  readonly [robotsRulesBrand]: true;
}

/** Whether a URL may be fetched, and the rule that decides it; no rule where none matches. */
export interface RobotsVerdict {
  readonly allowed: boolean;
  /** Where in the file the rule stands, from 1 (R20). */
  readonly line?: number;
  /** The rule as it would be written, `Disallow: /private/`. */
  readonly rule?: string;
}

/**
 * Reads a robots.txt for one crawler (RFC 9309 §2.2): all groups that name its product token taken together, or all
 * groups of `*` where none does. Takes time proportional to the file, whatever is in it.
 */
export function parseRobots(body: string, productToken: string): RobotsRules {
  const { rules, crawlDelays } = groupFor(tokenOf(productToken), body);
  const parsed: ParsedRules = {
    rules: rules.map(compile).sort(byPrecedence),
    crawlDelayMs: longest(crawlDelays.map(readDelayMs)),
  };
  return parsed as unknown as RobotsRules;
}

/**
 * Whether the rules let a URL of the file's own origin be fetched: the longest matching rule decides, Allow where two
 * are equally long (RFC 9309 §2.2.2). /robots.txt itself may always be fetched.
 */
export function robotsVerdict(rules: RobotsRules, url: RequestUrl): RobotsVerdict {
  const path = pathOf(url);
  if (path === '/robots.txt') return { allowed: true };

  const escaped = withEverythingEscaped(path);
  const rule = parsedOf(rules).rules.find((candidate) => matches(candidate, escaped));
  if (rule === undefined) return { allowed: true };
  return {
    allowed: rule.allow,
    line: rule.line,
    rule: `${rule.allow ? 'Allow' : 'Disallow'}: ${rule.value}`,
  };
}

/**
 * The gap that the file asks of this crawler, in milliseconds, at most a day; the longest where it asks twice (R18).
 * `undefined` where it asks for none, or for nonsense.
 */
export function crawlDelayMs(rules: RobotsRules): number | undefined {
  return parsedOf(rules).crawlDelayMs;
}

/** The `Sitemap` lines of a robots.txt, each once, as written: they belong to no group (RFC 9309 §2.2.4). */
export function sitemapsOf(body: string): string[] {
  const values = [...robotsLines(body)].filter(({ kind }) => kind === 'sitemap');
  return [...new Set(values.map(({ value }) => value).filter((value) => value !== ''))];
}

/** The product token of a User-Agent: its leading letters, hyphens and underscores (RFC 9309 §2.2.1). */
export function productTokenOf(userAgent: string): string {
  return /^[A-Za-z_-]*/u.exec(userAgent.trim())?.[0] ?? '';
}

interface ParsedRules {
  /** The one that decides first. */
  readonly rules: readonly Rule[];
  readonly crawlDelayMs: number | undefined;
}

interface Rule {
  readonly line: number;
  readonly allow: boolean;
  /** As it stands in the file. */
  readonly value: string;
  /** Octets of its pattern, by which the more specific rule is told (RFC 9309 §2.2.2). */
  readonly octets: number;
  /** The pattern in the spelling of comparison. */
  readonly pattern: string;
  /** What stands between the pattern's wildcards. */
  readonly pieces: readonly string[];
  /** Whether the pattern ends in `$`. */
  readonly toTheEnd: boolean;
}

interface Group {
  readonly rules: RobotsLine[];
  readonly crawlDelays: string[];
}

function parsedOf(rules: RobotsRules): ParsedRules {
  return rules as unknown as ParsedRules;
}

/** A new group starts at an agent line that follows a rule; no other kind of line ends one. */
function groupFor(token: string, body: string): Group {
  const ours: Group = { rules: [], crawlDelays: [] };
  const everyones: Group = { rules: [], crawlDelays: [] };
  let open: Group[] = [];
  let ruleSeen = false;
  let named = false;

  for (const line of robotsLines(body)) {
    switch (line.kind) {
      case 'agent': {
        if (ruleSeen) open = [];
        ruleSeen = false;
        const agent = agentOf(line.value);
        if (agent === '*') open.push(everyones);
        if (agent !== '' && agent === token) {
          open.push(ours);
          named = true;
        }
        break;
      }
      case 'allow':
      case 'disallow':
        ruleSeen = true;
        for (const group of new Set(open)) group.rules.push(line);
        break;
      case 'crawlDelay':
        for (const group of new Set(open)) group.crawlDelays.push(line.value);
        break;
      case 'sitemap':
        break;
    }
  }
  return named ? ours : everyones;
}

function agentOf(value: string): string {
  return /^\*(?:[ \t]|$)/u.test(value) ? '*' : tokenOf(value);
}

function tokenOf(agent: string): string {
  return productTokenOf(agent).toLowerCase();
}

function compile({ line, kind, value }: RobotsLine): Rule {
  const toTheEnd = value.endsWith('$');
  const body = (toTheEnd ? value.slice(0, -1) : value).replaceAll(/\*+/gu, '*');
  const pieces = body.split('*').map(withEverythingEscaped);
  return {
    line,
    value,
    allow: kind === 'allow',
    octets: withOneSpelling(value).length,
    pattern: pieces.join('*') + (toTheEnd ? '$' : ''),
    pieces,
    toTheEnd,
  };
}

function byPrecedence(one: Rule, other: Rule): number {
  return other.octets - one.octets || Number(other.allow) - Number(one.allow);
}

/** A rule without a path forbids nothing (RFC 9309 §2.2.2). */
function matches(rule: Rule, path: string): boolean {
  return rule.value !== '' && couldMatch(rule, path) && matchesByParser(rule, path);
}

/**
 * Whether a rule's pieces stand in the path one after another. Spares robots-parser, whose matcher takes the product of
 * pattern and path, all rules but the one that decides: a hostile file costs microseconds a rule, not milliseconds.
 */
function couldMatch({ pieces, toTheEnd }: Rule, path: string): boolean {
  const [first = '', ...rest] = pieces;
  if (!path.startsWith(first)) return false;

  let from = first.length;
  for (const piece of rest) {
    const at = path.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return !toTheEnd || path.endsWith(pieces.at(-1) ?? '');
}

/**
 * Asks robots-parser about one rule. Pattern and path are put behind a question mark, where the URL parser leaves
 * dots and slashes alone.
 */
function matchesByParser({ pattern }: Rule, path: string): boolean {
  const robot = robotsParser(`${ORIGIN}/robots.txt`, `User-agent: *\nDisallow: /?${pattern}`);
  return robot.isDisallowed(`${ORIGIN}/?${path}`) === true;
}

const ORIGIN = 'http://robots.invalid';

/** Typed as an ES default, but exported as CommonJS does. */
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** Everything after the authority, also a bare question mark, which `URL.search` would drop. */
function pathOf(url: RequestUrl): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

const MAX_DELAY_MS = 86_400_000;

function readDelayMs(value: string): number | undefined {
  return /^(?:\d+\.?\d*|\.\d+)$/u.test(value)
    ? Math.min(Math.ceil(Number(value) * 1_000), MAX_DELAY_MS)
    : undefined;
}

function longest(delaysMs: readonly (number | undefined)[]): number | undefined {
  const read = delaysMs.filter((delayMs) => delayMs !== undefined);
  return read.length === 0 ? undefined : read.reduce((most, delayMs) => Math.max(most, delayMs));
}
