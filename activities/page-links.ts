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

/** Where an answer leads: its page's links, and its `Refresh` header. */
export function linksOfAnswer(
  { requestUrl }: ClaimedUrl,
  answer: Answer,
  page: ParsedPage | undefined,
): readonly string[] {
  const refresh = refreshTarget(fieldsNamed(answer, 'refresh')[0] ?? '');
  const target = refresh === undefined ? undefined : parseRequestUrl(refresh, requestUrl);
  return [...(page?.links ?? []), ...(target === undefined ? [] : [target])];
}
