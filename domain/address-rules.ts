import ipaddr from 'ipaddr.js';
import type { HostKey } from './host-key.ts';

/** Which addresses a crawl may connect to beyond the public ones. */
export interface AddressAllowance {
  /** Loopback, private, link-local and carrier-grade NAT addresses too: for one's own sites. */
  readonly allowPrivate: boolean;
  /** Addresses in these ranges too, reserved ones among them, as `parseAddressRange` writes them; none, by default. */
  readonly allowedRanges?: readonly string[];
}

/**
 * Why an IP address must not be connected to (R29), in words for people; `undefined` where it may. An IPv4 address
 * inside an IPv6 one is judged by itself. The metadata services of clouds, and addresses that are no one machine's, are
 * refused whatever is allowed.
 */
export function addressRefusal(
  address: string,
  { allowPrivate, allowedRanges = [] }: AddressAllowance,
): string | undefined {
  if (!isAddress(address)) return `"${address}" is no IP address`;

  const inner = innermost(ipaddr.parse(address));
  if (METADATA.has(inner.toNormalizedString())) return `${address} is a cloud metadata service`;

  const range = rangeOf(inner);
  if (range === 'unicast') return undefined;
  const isAllowed = !NOBODYS.has(range) && allowedRanges.some((one) => isWithin(inner, one));
  if (isAllowed) return undefined;
  const own = OWN_RANGES[range];
  if (own === undefined) return `${address} is a reserved address (${range})`;
  return allowPrivate ? undefined : `${address} is a ${own} address`;
}

/**
 * Reads an address or a range of them (`10.0.0.0/8`, `fd00::/8`), and writes it without the bits that count for nothing;
 * `undefined` for anything else.
 */
export function parseAddressRange(text: string): string | undefined {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/u.exec(text.trim()) ?? [];
  if (!isAddress(address) || address.includes('%')) return undefined;
  const whole = ipaddr.parse(address).kind() === 'ipv4' ? 32 : 128;
  const bits = Number(prefix ?? whole);
  if (bits > whole) return undefined;
  const range = `${address}/${bits}`;
  const { IPv4, IPv6 } = ipaddr;
  const first =
    whole === 32 ? IPv4.networkAddressFromCIDR(range) : IPv6.networkAddressFromCIDR(range);
  return `${first.toString()}/${bits}`;
}

/** Whether a host is one's own by its name alone: `localhost`, `*.localhost`, or a literal private address. */
export function isPrivateHost(host: HostKey): boolean {
  const literal = withoutBrackets(host);
  const onlyIfAllowed =
    addressRefusal(literal, { allowPrivate: false }) !== undefined &&
    addressRefusal(literal, { allowPrivate: true }) === undefined;
  return onlyIfAllowed || isLoopbackHost(host);
}

/** Whether a host is this very machine by its name alone (RFC 6761 §6.3). */
export function isLoopbackHost(host: HostKey): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;

  const literal = withoutBrackets(host);
  return isAddress(literal) && innermost(ipaddr.parse(literal)).range() === 'loopback';
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** In the spellings that a socket takes for an address; any other would be looked up as a name. */
function isAddress(text: string): boolean {
  return text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
}

function rangeOf(address: Address): string {
  const range = address.range();
  if (range !== 'unicast' || address.kind() === 'ipv4' || isWithin(address, GLOBAL_IPV6)) {
    return range;
  }
  return 'unassigned';
}

function isWithin(address: Address, range: string): boolean {
  const [first, bits] = ipaddr.parseCIDR(range);
  return first.kind() === address.kind() && address.match(first, bits);
}

/** All that has been given out of IPv6 (RFC 4291 §2.4, IANA). */
const GLOBAL_IPV6 = '2000::/3';

/** Ranges whose addresses are no one machine's. */
const NOBODYS: ReadonlySet<string> = new Set(['unspecified', 'multicast', 'broadcast']);

/** Ranges that a person may own, named for people. */
const OWN_RANGES: Readonly<Partial<Record<string, string>>> = {
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
};

/** Services that hand credentials to whoever asks from inside a cloud. */
const METADATA: ReadonlySet<string> = new Set(
  [
    '169.254.169.254',
    'fe80::a9fe:a9fe',
    '169.254.170.2',
    '169.254.170.23',
    'fd00:ec2::23',
    'fd00:ec2::254',
    'fd20:ce::254',
    '169.254.42.42',
    'fd00:42::42',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

/** Where IPv6 ranges keep the IPv4 address that a packet really goes to: the index of its first byte. */
const EMBEDDED_AT: Readonly<Partial<Record<string, number>>> = {
  ipv4Mapped: 12,
  rfc6145: 12,
  rfc6052: 12,
  '6to4': 2,
};

function innermost(address: Address): Address {
  if (address.kind() === 'ipv4') return address;

  const bytes = address.toByteArray();
  // Made anew, because a zone (`%eth0`) would hide an address from the list of metadata services.
  const bare = ipaddr.fromByteArray(bytes);
  if (isLocalNat64(bytes)) return bare;

  const at = isCompatible(bytes) ? 12 : EMBEDDED_AT[bare.range()];
  return at === undefined ? bare : ipaddr.fromByteArray(bytes.slice(at, at + 4));
}

/** The deprecated `::a.b.c.d` (RFC 4291 §2.5.5.1); `::` and `::1` look like it and are not. */
function isCompatible(bytes: readonly number[]): boolean {
  const [last = 0, ...others] = bytes.toReversed();
  return bytes.slice(0, 12).every(isZero) && !(others.every(isZero) && last <= 1);
}

function isZero(byte: number): boolean {
  return byte === 0;
}

/** Local NAT64 (RFC 8215) keeps its IPv4 address wherever its network likes, so we can't judge it. */
function isLocalNat64(bytes: readonly number[]): boolean {
  return bytes.slice(0, 6).join() === '0,100,255,155,0,1';
}

function withoutBrackets(host: HostKey): string {
  return host.replace(/^\[(.*)\]$/u, '$1');
}
