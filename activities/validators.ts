import type { ClaimedUrl, RobotsState } from '../db/claim.ts';
import {
  validatorsOf,
  type LastAnswer,
  type Validators,
  type ValidatorsOfUrl,
} from '../domain/validators.ts';
import type { Answer, FetchResult } from '../web/fetch-url.ts';
import { fieldNamed } from '../web/header-fields.ts';
import type { KeptPage } from './keep-page.ts';

/** The answer that a URL is asked about again. After a failure it is asked for anew: perhaps the question was at fault. */
export function askedAbout({
  requestUrl,
  failures,
  lastAnswer,
}: ClaimedUrl): LastAnswer | undefined {
  return failures === 0 && lastAnswer?.url === requestUrl ? lastAnswer : undefined;
}

/** The same for a robots.txt, or for the hop of it that is asked for now. */
export function robotsAskedAbout(
  { tries, validators }: RobotsState,
  target: string,
): ValidatorsOfUrl | undefined {
  return tries === 0 && validators?.url === target ? validators : undefined;
}

/** Those that an answer gives. */
export function validatorsIn(answer: Answer): Validators | undefined {
  return validatorsOf(fieldNamed(answer, 'etag'), fieldNamed(answer, 'last-modified'));
}

/**
 * What a URL will be asked about next time: a whole 200 that was parsed to its end; `null` for any other answer,
 * `undefined` where what is known stands.
 */
export function lastAnswerAfter(
  url: ClaimedUrl,
  { outcome, answer }: FetchResult,
  { place, fetchedAt, stopped, sitemap }: KeptPage,
): LastAnswer | null | undefined {
  if (outcome.kind === 'putOff' || outcome.kind === 'failed') return undefined;
  const given = answer === undefined ? undefined : validatorsIn(answer);
  if (outcome.kind === 'unchanged') return refreshed(url.lastAnswer, given);
  const isWhole = answer?.status === 200 && !answer.truncated && stopped === undefined;
  if (!isWhole || given === undefined || place === undefined || fetchedAt === undefined)
    return null;
  const { digest, recordId } = place;
  const recordedAt = fetchedAt.toISOString();
  const isSitemap = sitemap !== undefined;
  return { url: url.requestUrl, ...given, digest, recordId, recordedAt, isSitemap };
}

/** What a 304 says of the validators counts from now on (RFC 9111 §4.3.4). */
function refreshed(last: LastAnswer | null, given: Validators | undefined): LastAnswer | null {
  if (last === null || given === undefined) return last;
  const { etag, lastModified } = given;
  return { ...last, etag: etag ?? last.etag, lastModified: lastModified ?? last.lastModified };
}
