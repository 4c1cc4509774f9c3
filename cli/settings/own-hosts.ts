import { Resolver, lookup } from 'node:dns/promises';
import { isLoopbackHost, isPrivateHost } from '../../domain/address-rules.ts';
import { asHostKey, hostKeyOf } from '../../domain/host-key.ts';
import type { HostKey } from '../../domain/host-key.ts';
import type { RequestUrl } from '../../domain/request-url.ts';

/** Gives a name's addresses; throws where it has none. */
export type AddressesOf = (hostname: string) => Promise<readonly string[]>;

/**
 * Whose hosts the seeds are, by the farthest of them: this machine's by their very name, a private network's, or
 * somebody else's. Politeness may be relaxed for one's own only (R9, R14). No seeds: nobody's, `none`.
 */
export type Ownership = 'none' | 'loopback' | 'private' | 'public';

/**
 * Sorts the seeds by whose they are. `ask` looks up names that are not one's own by themselves; without it they are
 * somebody else's.
 */
export async function ownershipOf(
  seeds: readonly RequestUrl[],
  ask: AddressesOf | undefined,
): Promise<Ownership> {
  let farthest: Ownership = seeds.length === 0 ? 'none' : 'loopback';
  for (const host of new Set(seeds.map(hostKeyOf))) {
    if (isLoopbackHost(host)) continue;
    // Others can point a name of theirs at loopback, so a name that was looked up is private at best.
    if (!isPrivateHost(host) && !(await leadsHome(host, ask))) return 'public';
    farthest = 'private';
  }
  return farthest;
}

/** Asks these DNS servers, `address:port`, or else the system. */
export function addressesBy(dnsServers: readonly string[]): AddressesOf {
  if (dnsServers.length === 0) {
    return async (name) => (await lookup(name, { all: true })).map(({ address }) => address);
  }
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers(dnsServers);
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

async function leadsHome(host: HostKey, ask: AddressesOf | undefined): Promise<boolean> {
  const addresses = (await ask?.(host).catch(() => [])) ?? [];
  return addresses.length > 0 && addresses.every((address) => isPrivateHost(asHostKey(address)));
}
