import { isLoopbackHost, isPrivateHost } from './address-rules.ts';
import { hostKeyOf } from './host-key.ts';
import type { RequestUrl } from './request-url.ts';

/** What the operator said about the crawler's name. */
export interface CrawlerName {
  /** A page where a site owner can complain. */
  readonly contact?: string | undefined;
  /** A name of the operator's own, in place of ours. */
  readonly userAgent?: string | undefined;
  readonly version: string;
}

/**
 * The `User-Agent` of a crawl (R14): `Decorum/0.1 (+https://…)`, or the operator's own with the contact added where it
 * doesn't name it.
 */
export function userAgentOf({ contact, userAgent, version }: CrawlerName): string {
  const name = userAgent ?? `Decorum/${version}`;
  return contact === undefined || name.includes(contact) ? name : `${name} (+${contact})`;
}

/**
 * Whether a crawl of these seeds must name a contact (R14): always, except where every seed is on this machine, or on
 * a literal private address that the crawl allows.
 */
export function needsContact(seeds: readonly RequestUrl[], allowPrivate: boolean): boolean {
  return !seeds.map(hostKeyOf).every((host) => {
    return isLoopbackHost(host) || (allowPrivate && isPrivateHost(host));
  });
}
