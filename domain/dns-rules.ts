/** What a look-up came to, as far as it matters for how long it is remembered. */
export type LookUpEnd = 'resolved' | 'nameNotFound' | 'nameServerFailed';

/** How long an answer is remembered at least and at most, in milliseconds: the TTL between these (R28); our choice. */
export const TTL_FLOOR_MS = 60_000;
export const TTL_CEILING_MS = 3_600_000;

/**
 * How long a look-up is remembered, in milliseconds. That a name is not there holds for minutes (RFC 2308 §5); servers
 * that fail may be back in one (§7.1 allows five).
 *
 * @param ttlMs the least TTL of the answer's records; of no account where it failed.
 */
export function rememberedMs(end: LookUpEnd, ttlMs: number): number {
  switch (end) {
    case 'resolved':
      return Math.min(Math.max(ttlMs, TTL_FLOOR_MS), TTL_CEILING_MS);
    case 'nameNotFound':
      return 300_000;
    case 'nameServerFailed':
      return 60_000;
  }
}

/** A hostname as a name server is asked for it: in lower case, without the dot of the root. */
export function lookUpNameOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/u, '');
}

/**
 * Why no server need be asked for a name, in words for people; `undefined` where one must be. Underscores and other
 * characters that no host should have are in use, so they are asked for.
 */
export function nameRefusal(name: string): string | undefined {
  const labels = name.split('.');
  if (labels.includes('')) return 'a name with an empty label is none';
  if (labels.some((label) => label.length > 63)) return 'a label is longer than 63 bytes';
  if (name.length > 253) return 'the name is longer than 253 bytes';
  const last = labels.at(-1) ?? '';
  return NEVER_IN_DNS.has(last) ? `names below .${last} are not in the DNS` : undefined;
}

/** Whether a name means this machine by itself (RFC 6761 §6.3). */
export function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** RFC 7686 §2, RFC 6761 §6.4, RFC 9476. */
const NEVER_IN_DNS: ReadonlySet<string> = new Set(['onion', 'invalid', 'alt']);
