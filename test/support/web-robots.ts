import { statusOf, type Offence, type SeenRequest } from './web-requests.ts';

/** Pages asked against robots.txt (R15, R16): disallowed ones, and any before the file could be read. */
export function robotsViolationsIn(requests: readonly SeenRequest[]): readonly Offence[] {
  const answers = answersByUrl(requests);

  return requests.flatMap((request): readonly Offence[] => {
    if (request.purpose === 'robots') return [];
    if (request.disallowed) {
      return [{ earlier: undefined, request, text: `${request.url} asked, which is disallowed` }];
    }
    const { standing, last } = robotsBefore(answers, request);
    if (standing === 'readable') return [];
    return [{ earlier: last, request, text: `${request.url} asked, robots.txt is ${standing}` }];
  });
}

/**
 * What a client can know of a host's robots.txt: nothing yet, that it can't be read (5xx, 429, a broken answer), or
 * its rules (4xx: there are none; RFC 9309 §2.3.1.3, §2.3.1.4).
 */
type RobotsStanding = 'unread' | 'unreachable' | 'readable';

type RobotsAnswers = ReadonlyMap<string, readonly SeenRequest[]>;

/** A request that the client cut told it nothing, so what it knew before still holds. */
function answersByUrl(requests: readonly SeenRequest[]): RobotsAnswers {
  const answers = new Map<string, SeenRequest[]>();
  for (const request of requests) {
    const { purpose, ending, url } = request;
    if (purpose !== 'robots' || ending === undefined || ending.kind === 'cut') continue;
    answers.set(url, [...(answers.get(url) ?? []), request]);
  }
  return answers;
}

const MOST_REDIRECTS = 5;

function robotsBefore(
  answers: RobotsAnswers,
  { url, startMs }: SeenRequest,
): { readonly standing: RobotsStanding; readonly last: SeenRequest | undefined } {
  let robotsUrl = new URL('/robots.txt', url).href;
  let last: SeenRequest | undefined;

  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    last = answers.get(robotsUrl)?.findLast(({ ending }) => (ending?.endMs ?? 0) <= startMs);
    if (last === undefined) return { standing: 'unread', last };

    const location = last.ending?.kind === 'answered' ? last.ending.location : undefined;
    if (location === undefined) return { standing: standingAfter(last), last };
    robotsUrl = location;
  }
  return { standing: 'readable', last };
}

function standingAfter(answer: SeenRequest): RobotsStanding {
  const status = statusOf(answer);
  if (status === undefined || status >= 500 || status === 429) return 'unreachable';
  return 'readable';
}
