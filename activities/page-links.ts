import type { ClaimedUrl } from '../db/claim.ts';
import { refreshTarget } from '../domain/refresh.ts';
import { parseRequestUrl } from '../domain/request-url.ts';
import {
  directivesOfHeaders,
  directivesOfMeta,
  eitherDirectives,
  type RobotsDirectives,
} from '../domain/robots-directives.ts';
import type { ParsedPage } from '../web/extract-links.ts';
import type { Answer } from '../web/fetch-url.ts';
import { fieldsNamed } from '../web/header-fields.ts';

/** What an answer and the page in it ask of this crawl (R19). */
export function directivesOf(
  { settings: { userAgent } }: ClaimedUrl,
  answer: Answer,
  page: ParsedPage | undefined,
  nowMs: number,
): RobotsDirectives {
  const asked = { userAgent, nowMs };
  return eitherDirectives(
    directivesOfHeaders(fieldsNamed(answer, 'x-robots-tag'), asked),
    directivesOfMeta(page?.robots ?? [], asked),
  );
}

/** Where an answer leads, and how many of its links were left out before any rule of the crawl's scope was asked. */
export interface AnswerLinks {
  readonly links: readonly string[];
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Its page's links, and its `Refresh` header. */
export function linksOfAnswer(
  { requestUrl, settings }: ClaimedUrl,
  answer: Answer,
  page: ParsedPage | undefined,
): AnswerLinks {
  const refresh = refreshTarget(fieldsNamed(answer, 'refresh')[0] ?? '');
  const target = refresh === undefined ? undefined : parseRequestUrl(refresh, requestUrl);
  const marked = new Set(settings.obeyNofollow ? page?.nofollowLinks : []);
  const links = (page?.links ?? []).filter((link) => !marked.has(link));
  return {
    links: [...links, ...(target === undefined ? [] : [target])],
    leftOut: { ...page?.dropped, nofollow: marked.size },
  };
}
