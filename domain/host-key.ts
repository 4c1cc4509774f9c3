import { getDomain } from 'tldts';
import { parseRequestUrl, type RequestUrl } from './request-url.ts';

declare const hostKeyBrand: unique symbol;

/**
 * What a back queue is keyed by (R8): the hostname in lower case, without scheme, port and trailing dot. An IPv6
 * address keeps its brackets, as in a URL.
 */
export type HostKey = string & { readonly [hostKeyBrand]: true };

/** The host whose back queue serves this URL. */
export function hostKeyOf(url: RequestUrl): HostKey {
  return withoutTrailingDots(new URL(url).hostname) as HostKey;
}

/** Takes a stored string at its word: only for keys that `hostKeyOf` made and the database kept. */
export function asHostKey(stored: string): HostKey {
  return stored as HostKey;
}

/** Reads what a person types as a host: a name in any case, an address, also with a port or as a whole URL. */
export function parseHostKey(text: string): HostKey | undefined {
  const typed = text.trim();
  const url = parseRequestUrl(typed.includes('://') ? typed : `http://${typed}`);
  if (url === undefined) return undefined;

  const host = hostKeyOf(url);
  return host === '' ? undefined : host;
}

/** Scheme, host and port of a URL: what a robots.txt is kept for (RFC 9309 §2.3, RFC 6454). */
export function originOf(url: RequestUrl): string {
  return new URL(url).origin;
}

/**
 * The registrable domain by the Public Suffix List, its private section too, so that two users of one hosting company
 * are two sites. The host itself where there is none: addresses, `localhost`, a public suffix.
 */
export function registrableDomainOf(host: HostKey): string {
  if (host.startsWith('[')) return host;
  return getDomain(host, SUFFIX_OPTIONS) ?? host;
}

const SUFFIX_OPTIONS = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
} as const;

function withoutTrailingDots(hostname: string): string {
  return hostname.replace(/\.+$/u, '');
}
