import { parseHttpDateMs } from './http-date.ts';
import { productTokenOf } from './robots-group.ts';
import { parseW3cDateMs } from './w3c-date.ts';

/** What a page asks of a crawler (R19), in `X-Robots-Tag` and `<meta name="robots">`. Neither is part of RFC 9309. */
export interface RobotsDirectives {
  /** The page is not to be indexed; `none`, and an `unavailable_after` that has passed, say so too. */
  readonly noindex: boolean;
  /** None of the page's links is to be followed; `none` says so too. */
  readonly nofollow: boolean;
}

/** Who is asked, and when. */
export interface DirectivesFor {
  /** A User-Agent or its product token. */
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** A robots `meta` tag: its `name` and `content` as written. */
export interface RobotsMeta {
  readonly name: string;
  readonly content: string;
}

/**
 * What several `X-Robots-Tag` headers say to one crawler. A directive after `name:` binds that robot only, as do those
 * after it in the same header, up to the next name. What general and own directives forbid is forbidden.
 */
export function directivesOfHeaders(
  values: readonly string[],
  { userAgent, nowMs }: DirectivesFor,
): RobotsDirectives {
  return together(
    values.map((value) => {
      let isOurs = true;
      return partsOf(value).map((part) => {
        const named = /^\s*([\w-]+)\s*:(.*)$/su.exec(part);
        if (named === null || VALUED.test(part)) return isOurs ? directivesIn(part, nowMs) : NONE;
        isOurs = isSameRobot(named[1] ?? '', userAgent);
        return isOurs ? directivesIn(named[2] ?? '', nowMs) : NONE;
      });
    }),
  );
}

/** What the `meta` tags named `robots`, or like the crawler itself, say to it. */
export function directivesOfMeta(
  tags: readonly RobotsMeta[],
  { userAgent, nowMs }: DirectivesFor,
): RobotsDirectives {
  const ours = tags.filter(
    ({ name }) => /^\s*robots\s*$/iu.test(name) || isSameRobot(name.trim(), userAgent),
  );
  return together(
    ours.map(({ content }) => partsOf(content).map((part) => directivesIn(part, nowMs))),
  );
}

/** Whatever one of them forbids. */
export function eitherDirectives(one: RobotsDirectives, other: RobotsDirectives): RobotsDirectives {
  return { noindex: one.noindex || other.noindex, nofollow: one.nofollow || other.nofollow };
}

const NONE: RobotsDirectives = { noindex: false, nofollow: false };

/** Directives that have a value after a colon; their names are no robots. */
const VALUED = /^\s*(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)\s*:/iu;

function together(parts: readonly (readonly RobotsDirectives[])[]): RobotsDirectives {
  return parts.flat().reduce(eitherDirectives, NONE);
}

/** Commas and semicolons part directives, but not the two halves of a date (`Sat, 25 Jun 2039 …`). */
function partsOf(value: string): readonly string[] {
  const parts: string[] = [];
  let isHalfDate = false;
  for (const piece of value.split(/[,;]/u)) {
    if (isHalfDate) parts.push(`${parts.pop() ?? ''},${piece}`);
    else parts.push(piece);
    isHalfDate = !isHalfDate && HALF_DATE.test(piece);
  }
  return parts;
}

const HALF_DATE = /unavailable_after\s*:\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\s*$/iu;

function directivesIn(part: string, nowMs: number): RobotsDirectives {
  const until = /^\s*unavailable_after\s*:(.*)$/isu.exec(part)?.[1];
  if (until !== undefined) return { noindex: isOver(until.trim(), nowMs), nofollow: false };
  if (VALUED.test(part)) return NONE;
  const words = part.toLowerCase().split(/\s+/u);
  const isNone = words.includes('none');
  return {
    noindex: isNone || words.includes('noindex'),
    nofollow: isNone || words.includes('nofollow'),
  };
}

/** A date that cannot be read is as good as none. Its day of the week may be left out. */
function isOver(date: string, nowMs: number): boolean {
  const ms =
    parseW3cDateMs(date) ?? parseHttpDateMs(date, nowMs) ?? parseHttpDateMs(`Mon, ${date}`, nowMs);
  return ms !== undefined && ms <= nowMs;
}

function isSameRobot(name: string, userAgent: string): boolean {
  const token = productTokenOf(userAgent).toLowerCase();
  return token !== '' && name.toLowerCase() === token;
}
