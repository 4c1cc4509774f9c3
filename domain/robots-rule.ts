import robotsParserModule from 'robots-parser';
import { withEverythingEscaped, withOneSpelling } from './percent-encoding.ts';
import type { RobotsLine } from './robots-file.ts';

/** An Allow or Disallow line made ready for matching. */
export interface RobotsRule {
  /** Where it stands in the file, from 1. */
  readonly line: number;
  readonly allow: boolean;
  /** The path as it stands in the file. */
  readonly value: string;
  /** Length of the path in octets, by which the more specific rule is told. */
  readonly octets: number;
  /** What stands between the path's wildcards, in the spelling of comparison. */
  readonly pieces: readonly string[];
  /** Whether the path ends in `$`. */
  readonly toTheEnd: boolean;
}

/**
 * The rules in the order in which they decide: the longest first, Allow before Disallow of the same length (RFC 9309
 * §2.2.2). Left out are lines without a path, which forbid nothing, those that no path can match, and repetitions.
 */
export function rulesOf(lines: readonly RobotsLine[]): RobotsRule[] {
  // The number of the line where each path stands first.
  const first = { allow: new Map<string, number>(), disallow: new Map<string, number>() };
  for (const { kind, value, line } of lines) {
    if (kind !== 'allow' && kind !== 'disallow') continue;
    if (!value.startsWith('/') && !value.startsWith('*')) continue;
    if (!first[kind].has(value)) first[kind].set(value, line);
    const directory = kind === 'allow' ? directoryOfIndex(value) : undefined;
    if (directory !== undefined && !first.allow.has(directory)) first.allow.set(directory, line);
  }
  const byOctets = new Map<number, RobotsRule[]>();
  for (const kind of ['allow', 'disallow'] as const) {
    for (const [value, line] of first[kind]) {
      const rule = compile(line, kind === 'allow', value);
      // By length, and no comparison of two: rules of few lengths are many.
      const equal = byOctets.get(rule.octets);
      if (equal === undefined) byOctets.set(rule.octets, [rule]);
      else equal.push(rule);
    }
  }
  const lengths = [...byOctets.keys()].sort((one, other) => other - one);
  return lengths.flatMap((octets) => byOctets.get(octets) ?? []);
}

/** Whether a rule matches a path with query in the spelling of `withEverythingEscaped`. */
export function matches(rule: RobotsRule, path: string): boolean {
  if (!piecesFollow(rule, path)) return false;
  return rule.pieces.length > MOST_PIECES_TO_CONFIRM || matchesByParser(rule, path);
}

/** `Allow: /d/index.html` allows `/d/` itself too, as google/robotstxt has it; the RFC is silent. */
function directoryOfIndex(path: string): string | undefined {
  const end = INDEX_FILES.find((name) => path.endsWith(name));
  return end === undefined ? undefined : `${path.slice(0, 1 - end.length)}$`;
}

const INDEX_FILES = ['/index.html', '/index.htm'];

function compile(line: number, allow: boolean, value: string): RobotsRule {
  const toTheEnd = value.endsWith('$');
  const path = toTheEnd ? value.slice(0, -1) : value;
  return {
    line,
    value,
    allow,
    octets: withOneSpelling(value).length,
    pieces: path.includes('*')
      ? path.split(/\*+/u).map(withEverythingEscaped)
      : [withEverythingEscaped(path)],
    toTheEnd,
  };
}

/** Whether a rule's pieces stand in the path one after another. Each is looked for once, from where the last one ended. */
function piecesFollow({ pieces, toTheEnd }: RobotsRule, path: string): boolean {
  const [first = '', ...rest] = pieces;
  if (rest.length === 0) return toTheEnd ? path === first : path.startsWith(first);
  if (!path.startsWith(first)) return false;

  let from = first.length;
  for (const piece of rest) {
    const at = path.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return !toTheEnd || path.endsWith(rest.at(-1) ?? '');
}

/** robots-parser's matcher takes the product of wildcards and path; rules that people write have one or two. */
const MOST_PIECES_TO_CONFIRM = 8;

const ORIGIN = 'http://robots.invalid';

/** Typed as an ES default, but exported as CommonJS does. */
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/**
 * Asks robots-parser about one rule. Pattern and path are put behind a question mark, where the URL parser leaves dots
 * and slashes alone.
 */
function matchesByParser({ pieces, toTheEnd }: RobotsRule, path: string): boolean {
  const pattern = pieces.join('*') + (toTheEnd ? '$' : '');
  const robot = robotsParser(`${ORIGIN}/robots.txt`, `User-agent: *\nDisallow: /?${pattern}`);
  return robot.isDisallowed(`${ORIGIN}/?${path}`) === true;
}
