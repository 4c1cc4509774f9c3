/** More addresses than this of one host are not tried. */
const ADDRESS_LIMIT = 4;

/**
 * The addresses that are tried for one connection, in their order: the families take turns, as far as there are two,
 * so that a dead one costs a single attempt before the other has its chance (RFC 8305 §4).
 */
export function dialOrder(addresses: readonly string[]): readonly string[] {
  const isV6 = (address: string): boolean => address.includes(':');
  const first = addresses.filter((address) => isV6(address) === isV6(addresses[0] ?? ''));
  const second = addresses.filter((address) => !first.includes(address));
  const inTurn = first.flatMap((address, at) => [address, ...second.slice(at, at + 1)]);
  return [...inTurn, ...second.slice(first.length)].slice(0, ADDRESS_LIMIT);
}

/**
 * How long one attempt to connect may take, in milliseconds: a fair share of the time left, and where another address
 * is there to be tried, no longer than a first packet that was lost takes to be sent again (1 s, RFC 6298 §2) and
 * answered. Attempts follow each other: a host never sees two connections (R8).
 *
 * @param attempts how many are left, this one included.
 */
export function attemptMs(leftMs: number, attempts: number): number {
  const shareMs = Math.max(leftMs, 0) / Math.max(attempts, 1);
  return attempts > 1 ? Math.min(shareMs, ATTEMPT_MS) : shareMs;
}

/** Our choice. */
const ATTEMPT_MS = 1_500;
