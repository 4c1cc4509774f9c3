import { formatDuration } from './duration.ts';
import { parseHostKey } from './host-key.ts';
import { opensAtMs, type OpenHours } from './open-hours.ts';

/** What the operator says about a host, whichever crawl asks it (R24, R44); `null`: nothing, the crawl's settings go. */
export interface HostPolicy {
  /** In place of the crawl's shortest gap and gap factor. A `Crawl-delay` and a backoff still lengthen it. */
  readonly gapMs: number | null;
  /** Requests of any kind that the host gets in a day of UTC: pages, redirects, robots.txt. */
  readonly pagesADay: number | null;
  readonly hours: OpenHours | null;
  /** Nothing is asked for; what is queued is excluded as its turn comes. */
  readonly excluded: boolean;
}

/** Where nobody has said anything. */
export const NO_POLICY: HostPolicy = { gapMs: null, pagesADay: null, hours: null, excluded: false };

const DAY_MS = 86_400_000;

/** What keeps a host from being asked for a while. */
export type PolicyBlock = 'hours' | 'pages a day';

/** Whether a host may be asked under its policy. */
export type PolicyRuling =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'excluded' }
  | { readonly kind: 'notBefore'; readonly atMs: number; readonly because: PolicyBlock };

/**
 * Whether a host may get a request now. Of two reasons to wait the one that lasts longer counts.
 *
 * @param asked requests of this day of UTC, the one in question included.
 */
export function policyRuling(
  { pagesADay, hours, excluded }: Pick<HostPolicy, 'pagesADay' | 'hours' | 'excluded'>,
  { asked, nowMs }: { readonly asked: number; readonly nowMs: number },
): PolicyRuling {
  if (excluded) return { kind: 'excluded' };
  const isSpent = pagesADay !== null && asked > pagesADay;
  // The day's end may lie outside the hours.
  const soonestMs = isSpent ? nextDayMs(nowMs) : nowMs;
  const atMs = hours === null ? soonestMs : opensAtMs(hours, soonestMs);
  if (atMs === nowMs) return { kind: 'allowed' };
  return { kind: 'notBefore', atMs, because: isSpent ? 'pages a day' : 'hours' };
}

/** The day whose requests are counted ends at midnight UTC, whatever zone the hours are of; our choice. */
function nextDayMs(nowMs: number): number {
  return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
}

/**
 * Reads what a policy is for: a host, or `domain:` and a name, which means the host of that name and all below it. The
 * form in which it is kept; `undefined` where it is neither.
 */
export function parsePolicySubject(text: string): string | undefined {
  const [, name] = /^domain:(.*)$/iu.exec(text.trim()) ?? [];
  if (name === undefined) return parseHostKey(text);
  const host = /[/:@[\]]/u.test(name) ? undefined : parseHostKey(name);
  return host === undefined ? undefined : `domain:${host}`;
}

/** A policy in a few words: `gap 5 s, 1000 a day, 22:00-06:00 UTC`. */
export function policyText({ gapMs, pagesADay, hours, excluded }: HostPolicy): string {
  const said = [
    ...(excluded ? ['excluded'] : []),
    ...(gapMs === null ? [] : [`gap ${formatDuration(gapMs)}`]),
    ...(pagesADay === null ? [] : [`${String(pagesADay)} a day`]),
    ...(hours === null ? [] : [hours.text]),
  ];
  return said.join(', ') || 'none';
}
