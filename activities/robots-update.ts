import type { ClaimedUrl, GrantedLease, RobotsState } from '../db/claim.ts';
import type { RobotsUpdate } from '../db/robots.ts';
import {
  crawlDelayMs,
  decodeRobots,
  MAX_ROBOTS_BYTES,
  parseRobots,
  productTokenOf,
} from '../domain/robots.ts';
import { ROBOTS_MAX_HOPS, robotsAccessOf, robotsPauseMs } from '../domain/robots-access.ts';
import { robotsTtlMs } from '../domain/robots-lifetime.ts';
import type { Answer, FetchResult } from '../web/fetch-url.ts';
import type { ValidatorsOfUrl } from '../domain/validators.ts';
import type { RequestUrl } from '../domain/request-url.ts';
import { fieldNamed, fieldsNamed } from '../web/header-fields.ts';
import { validatorsIn } from './validators.ts';

/** One byte more than counts shows that a file goes on, and that its last line is cut. */
export const ROBOTS_BYTES_READ = MAX_ROBOTS_BYTES + 1;

/** Whose robots.txt was asked for, and on whose behalf. */
export interface RobotsErrandOf {
  readonly lease: GrantedLease;
  readonly url: ClaimedUrl;
  readonly robots: RobotsState;
  /** The URL that was asked: the file's own, or where it redirected to. */
  readonly target: RequestUrl;
  /** The host that the file is for, where the lease is another's. */
  readonly robotsHostId?: number;
}

/** What one request tells of a robots.txt (R16): a file, another hop, none, or that it is what it was, or unreachable. */
export function robotsUpdateOf(
  { lease, url, robots, target, robotsHostId = lease.hostId }: RobotsErrandOf,
  { outcome, answer }: FetchResult,
): RobotsUpdate {
  const { origin } = robots;
  const status = answer?.status ?? null;
  const access = robotsAccessOf(outcome);
  if (access === 'unreachable' || (access === 'rules' && isPartOfIt(answer))) {
    const pauseMs = robotsPauseMs(robots.tries + 1);
    return { hostId: robotsHostId, origin, read: { kind: 'unreachable', status, pauseMs } };
  }
  if (access === 'unchanged') {
    const read = { kind: access, version: robots.version, ttlMs: ttlOf(answer) } as const;
    return { hostId: robotsHostId, origin, read };
  }
  if (outcome.kind === 'redirected' && robots.hops < ROBOTS_MAX_HOPS) {
    const read = { kind: 'redirected', status: outcome.status, to: outcome.location } as const;
    return { hostId: robotsHostId, origin, read };
  }
  const body = access === 'rules' ? (answer?.body ?? new Uint8Array()) : new Uint8Array();
  const rules = parseRobots(decodeRobots(body), productTokenOf(url.settings.userAgent));
  return {
    hostId: robotsHostId,
    origin,
    read: {
      kind: 'answered',
      access: access === 'rules' ? 'rules' : 'allowAll',
      status: status ?? 0,
      body,
      ttlMs: ttlOf(answer),
      crawlDelayMs: Math.min(crawlDelayMs(rules) ?? 0, url.settings.crawlDelayCapMs),
      validators: access === 'rules' ? validatorsFrom(target, answer) : null,
    },
  };
}

function validatorsFrom(url: RequestUrl, answer: Answer | undefined): ValidatorsOfUrl | null {
  const given = answer?.status === 200 ? validatorsIn(answer) : undefined;
  return given === undefined ? null : { url, ...given };
}

/** A file that broke off before the limit: what is lost may forbid what the rest does not. */
function isPartOfIt(answer: Answer | undefined): boolean {
  return answer?.truncated === true && answer.body.length < ROBOTS_BYTES_READ;
}

function ttlOf(answer: Answer | undefined): number {
  const fields = answer ?? { headers: [] };
  return robotsTtlMs(
    {
      cacheControl: fieldsNamed(fields, 'cache-control'),
      expires: fieldNamed(fields, 'expires'),
      date: fieldNamed(fields, 'date'),
    },
    Date.now(),
  );
}
