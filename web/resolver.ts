import { isIP } from 'node:net';
import { Resolver as CAresResolver } from 'node:dns/promises';
import { lookUp } from './dns-lookup.ts';
import type { Lookup } from './dns-lookup.ts';

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
}

export interface ResolverOptions {
  /** `host:port` of own name servers; empty means the system's, and then its hosts file counts too. */
  readonly servers: readonly string[];
  /** How long each try may take (R28; Mercator §3.7). */
  readonly tryLengthsMs?: readonly number[];
  /** Names that are remembered; the one that was asked for longest ago goes first. */
  readonly capacity?: number;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
}

const MERCATOR_TRIES_MS = [1_000, 3_000, 9_000, 27_000, 81_000];
const MIN_TTL_MS = 60_000;
const MAX_TTL_MS = 3_600_000;
const NEGATIVE_TTL_MS = 30_000;

/** A look-up under way and the number of those who wait for it; the last to leave ends it. */
interface Flight {
  readonly answer: Promise<Resolution>;
  readonly abandon: AbortController;
  waiters: number;
}

/**
 * A resolver with a cache (R28): the TTL of an answer is honoured between one minute and one hour, a failure is
 * remembered for 30 s, and one look-up at a time is under way for a name. Addresses, `localhost` and names below
 * it (RFC 6761 §6.3) need no look-up. Throws where a server's address is malformed.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { servers, capacity = 100_000, nowMs = () => performance.now() } = options;
  const tryLengthsMs = options.tryLengthsMs ?? MERCATOR_TRIES_MS;
  if (servers.length > 0) new CAresResolver().setServers(servers);

  const cache = new ResolutionCache(capacity, nowMs);
  const flights = new Map<string, Flight>();
  let hits = 0;
  let misses = 0;

  const takeOff = (name: string): Flight => {
    const abandon = new AbortController();
    const leave = () => {
      if (flights.get(name) === flight) flights.delete(name);
    };
    const answer = lookUp({ name, servers, tryLengthsMs, signal: abandon.signal })
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
    const name = hostname.toLowerCase();
    const own = answerWithoutLookup(name);
    if (own !== undefined) return own;

    const known = cache.recall(name);
    const flight = flights.get(name);
    if (known === undefined && flight === undefined) misses += 1;
    else hits += 1;
    return known ?? join(flight ?? takeOff(name), signal);
  };

  return { resolve, counts: () => ({ hits, misses }) };
}

interface Remembered {
  readonly resolution: Resolution;
  readonly expiresAtMs: number;
}

/** Names in the order in which they were last asked for, the longest ago first. */
class ResolutionCache {
  readonly #capacity: number;
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, Remembered>();

  constructor(capacity: number, nowMs: () => number) {
    this.#capacity = capacity;
    this.#nowMs = nowMs;
  }

  recall(name: string): Resolution | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    if (entry.expiresAtMs <= this.#nowMs()) return undefined;
    this.#entries.set(name, entry);
    return entry.resolution;
  }

  remember(name: string, { resolution, ttlMs }: Lookup): void {
    const expiresAtMs = this.#nowMs() + lifetimeMs(resolution, ttlMs);
    this.#entries.set(name, { resolution, expiresAtMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) break;
      this.#entries.delete(oldest);
    }
  }
}

function answerWithoutLookup(name: string): Resolution | undefined {
  const literal = name.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return { kind: 'resolved', addresses: [literal] };
  if (/(^|\.)localhost\.?$/.test(name)) {
    return { kind: 'resolved', addresses: ['127.0.0.1', '::1'] };
  }
  return undefined;
}

function lifetimeMs(resolution: Resolution, ttlMs: number): number {
  return resolution.kind === 'resolved'
    ? Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS)
    : NEGATIVE_TTL_MS;
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
