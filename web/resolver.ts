import { isIP } from 'node:net';
import { Resolver as CAresResolver } from 'node:dns/promises';
import { isLocalName, lookUpNameOf, nameRefusal } from '../domain/dns-rules.ts';
import { lookUp } from './dns-lookup.ts';
import { hostsFile, SYSTEM_HOSTS_FILE } from './hosts-file.ts';
import { ResolutionCache } from './resolution-cache.ts';

/** What a name came to; both failures are the web's doing, not ours. */
export type Resolution =
  | { readonly kind: 'resolved'; readonly addresses: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly reason: 'nameNotFound' | 'nameServerFailed';
      readonly detail: string;
    };

/** Finds the addresses of hosts, with a cache. */
export interface Resolver {
  /** IPv4 addresses first. Rejects only with the reason of an aborted `signal`. */
  readonly resolve: (hostname: string, signal?: AbortSignal) => Promise<Resolution>;
  /** Hits were answered from the cache or by a look-up already under way; misses asked a name server. */
  readonly counts: () => ResolverCounts;
}

export interface ResolverCounts {
  readonly hits: number;
  readonly misses: number;
  /** Names in the cache. */
  readonly names: number;
}

export interface ResolverOptions {
  /** `host:port` of own name servers; empty means the system's, and then its hosts file counts too. */
  readonly servers: readonly string[];
  /** The hosts file that counts beside the system's name servers. */
  readonly hostsPath?: string;
  /** How long each try may take (R28; Mercator §3.7). */
  readonly tryLengthsMs?: readonly number[];
  /** Names that are remembered; the one that was asked for longest ago goes first. */
  readonly capacity?: number;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
}

const MERCATOR_TRIES_MS = [1_000, 3_000, 9_000, 27_000, 81_000];

/** A look-up under way and the number of those who wait for it; the last to leave ends it. */
interface Flight {
  readonly answer: Promise<Resolution>;
  readonly abandon: AbortController;
  waiters: number;
}

/**
 * A resolver with a cache (R28): answers and failures are remembered by the rules of domain/dns-rules.ts, and one look-up
 * at a time is under way for a name. Addresses, `localhost`, the names below it and names that can't be need no look-up.
 * A name is asked for as it stands: the machine's search list plays no part. Throws where a server's address is
 * malformed.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { servers, capacity = 100_000, nowMs = () => performance.now() } = options;
  const tryLengthsMs = options.tryLengthsMs ?? MERCATOR_TRIES_MS;
  if (servers.length > 0) new CAresResolver().setServers(servers);

  const hosts = servers.length > 0 ? undefined : hostsFile(options.hostsPath ?? SYSTEM_HOSTS_FILE);
  const cache = new ResolutionCache(capacity, nowMs);
  const flights = new Map<string, Flight>();
  let hits = 0;
  let misses = 0;

  const takeOff = (name: string): Flight => {
    const abandon = new AbortController();
    const leave = () => {
      if (flights.get(name) === flight) flights.delete(name);
    };
    const answer = lookUp({ name, servers, hosts, tryLengthsMs, signal: abandon.signal })
      .then((lookup) => {
        cache.remember(name, lookup);
        return lookup.resolution;
      })
      .finally(leave);
    abandon.signal.addEventListener('abort', leave, { once: true });
    const flight: Flight = { answer, abandon, waiters: 0 };
    flights.set(name, flight);
    return flight;
  };

  const resolve = async (hostname: string, signal?: AbortSignal): Promise<Resolution> => {
    signal?.throwIfAborted();
    const name = lookUpNameOf(hostname);
    const own = answerWithoutLookup(name);
    if (own !== undefined) return own;

    const known = cache.recall(name);
    const flight = flights.get(name);
    if (known === undefined && flight === undefined) misses += 1;
    else hits += 1;
    return known ?? join(flight ?? takeOff(name), signal);
  };

  return { resolve, counts: () => ({ hits, misses, names: cache.size }) };
}

function answerWithoutLookup(name: string): Resolution | undefined {
  const literal = name.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return { kind: 'resolved', addresses: [literal] };
  if (isLocalName(name)) return { kind: 'resolved', addresses: ['127.0.0.1', '::1'] };
  const refusal = nameRefusal(name);
  return refusal === undefined
    ? undefined
    : { kind: 'failed', reason: 'nameNotFound', detail: refusal };
}

function join(flight: Flight, signal: AbortSignal | undefined): Promise<Resolution> {
  flight.waiters += 1;
  if (signal === undefined) return flight.answer;

  return new Promise((resolve, reject) => {
    const leave = () => {
      flight.waiters -= 1;
      if (flight.waiters === 0) flight.abandon.abort();
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    signal.addEventListener('abort', leave, { once: true });
    flight.answer.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', leave);
    });
  });
}
