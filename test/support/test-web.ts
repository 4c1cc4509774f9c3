import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

import { startDnsServer, type DnsServer, type NameAnswer } from './dns-server.ts';
import { Judge } from './judge.ts';
import { FrontDesk, type AskedFor } from './web-desk.ts';
import { Holds, type Hold } from './web-holds.ts';
import type { HostSpec } from './web-hosts.ts';
import { urlOf } from './web-pages.ts';
import { reachablePlaces } from './web-reachable.ts';
import type { Place } from './web-resources.ts';
import { planSites, type Site } from './web-site.ts';

export { goodWeb, mixedWeb, type HostKind, type HostSpec } from './web-hosts.ts';
export type { AskedFor } from './web-desk.ts';
export type { Hold } from './web-holds.ts';

/** What a test web is made of. */
export interface TestWebOptions {
  readonly hosts: readonly HostSpec[];
  /** Port of all hosts; a free one by default. */
  readonly bindPort?: number;
  /** Port of the DNS server; a free one by default. */
  readonly dnsPort?: number;
  /** Time to live of DNS answers; 60 by default. */
  readonly ttlSeconds?: number;
  /** Varies texts and links; the same seed gives the same web. 1 by default. */
  readonly seed?: number;
}

/** What `reachable` counts from; the first host's home page, any host and any depth by default. */
export interface ReachOptions {
  /** URLs of this web. */
  readonly seeds?: readonly string[];
  readonly scope?: 'any' | 'host';
  /** Most links from a seed. */
  readonly depth?: number;
}

/** Many virtual hosts on one loopback port, told apart by the `Host` header, with a judge and a DNS server. */
export interface TestWeb {
  readonly port: number;
  /** `127.0.0.1:PORT`. */
  readonly dnsServer: string;
  readonly dns: DnsServer;
  readonly judge: Judge;
  readonly url: (host: string, path?: string) => string;
  /** URLs that a polite crawler ends up with as pages (a 200 answer, allowed by robots.txt). */
  readonly reachable: (options?: ReachOptions) => ReadonlySet<string>;
  /** Calls the listener at the start of every request; returns how to stop it. */
  readonly onRequest: (listener: (request: AskedFor) => void) => () => void;
  /** Keeps answers back, of a path or (without one) of a whole host, until released. */
  readonly hold: (host: string, path?: string) => Hold;
  /** Releases nothing: requests in flight are cut. */
  readonly close: () => Promise<void>;
}

/** Starts the test web on loopback. */
export async function startTestWeb(options: TestWebOptions): Promise<TestWeb> {
  const { hosts, bindPort = 0, dnsPort = 0, ttlSeconds = 60, seed = 1 } = options;
  const sites = planSites(hosts, seed);
  const judge = new Judge((host) => ({
    crawlDelayMs: (sites.get(host)?.spec.crawlDelaySeconds ?? 0) * 1_000,
  }));
  const holds = new Holds();
  const listeners = new Set<(request: AskedFor) => void>();

  const { server, port } = await listen(bindPort);
  const desk = new FrontDesk({ sites, judge, holds, listeners, port, seed });
  server.on('request', (request, response) => {
    desk.receive(request, response);
  });
  const names = hosts.map((host) => [host.name, nameAnswer(host, ttlSeconds)] as const);
  const dns = await startDnsServer(names, dnsPort);

  return {
    port,
    dnsServer: dns.address,
    dns,
    judge,
    url: (host, path = '/') => urlOf({ host, path }, port),
    reachable: (reach = {}) => reachableUrls(sites, hosts, reach, port),
    onRequest: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hold: (host, path) => holds.hold(host, path),
    close: async () => {
      await Promise.all([dns.close(), closeServer(server)]);
    },
  };
}

function reachableUrls(
  sites: ReadonlyMap<string, Site>,
  hosts: readonly HostSpec[],
  { seeds, scope = 'any', depth = Infinity }: ReachOptions,
  port: number,
): ReadonlySet<string> {
  const first = hosts.slice(0, 1).map(({ name }): Place => ({ host: name, path: '/' }));
  const places = reachablePlaces(sites, {
    seeds: seeds?.map(placeOf) ?? first,
    seedHostsOnly: scope === 'host',
    depthLimit: depth,
  });
  return new Set(places.map((place) => urlOf(place, port)));
}

function placeOf(url: string): Place {
  const { hostname, pathname, search } = new URL(url);
  return { host: hostname, path: pathname + search };
}

function nameAnswer({ kind, dnsFault }: HostSpec, ttlSeconds: number): NameAnswer {
  if (dnsFault !== undefined) return { kind: dnsFault };
  if (kind === 'nxdomain') return { kind: 'nameNotFound' };
  // The web's port is bound on 127.0.0.1 only, so another loopback address refuses it.
  const address = kind === 'refused' ? '127.0.0.2' : '127.0.0.1';
  return { kind: 'address', address, ttlSeconds };
}

async function listen(port: number): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The web has no port');
  return { server, port: address.port };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
