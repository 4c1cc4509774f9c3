import { Resolver } from 'node:dns/promises';

import type { ClientAnswer } from './web-ask.ts';
import { PoliteHost, type Patience } from './web-polite-host.ts';

/**
 * Crawls a test web from one URL as politely as the judge asks for, all hosts at once: about the smallest crawler that
 * keeps every rule. It shows that the rules can be kept, and that keeping them brings what `reachable` promises.
 */
export async function crawlPolitely(
  firstUrl: string,
  dnsServer: string,
  patience: Patience,
): Promise<void> {
  const crawl = new PoliteCrawl(dnsServer, patience);
  await crawl.run(firstUrl);
}

const MOST_REDIRECTS = 5;

class PoliteCrawl {
  readonly #resolver = new Resolver();
  readonly #patience: Patience;
  readonly #hosts = new Map<string, Promise<PoliteHost | undefined>>();
  readonly #seen = new Set<string>();
  readonly #visits: Promise<void>[] = [];

  constructor(dnsServer: string, patience: Patience) {
    this.#resolver.setServers([dnsServer]);
    this.#patience = patience;
  }

  async run(firstUrl: string): Promise<void> {
    this.#add(firstUrl);
    // Visits add further visits while this loop awaits earlier ones.
    for (let done = 0; done < this.#visits.length; done += 1) await this.#visits[done];
  }

  #add(url: string, hops = 0, sourceKey?: string): void {
    const key = keyOf(url);
    if (hops > MOST_REDIRECTS || (this.#seen.has(key) && key !== sourceKey)) return;
    this.#seen.add(key);
    this.#visits.push(this.#visit(url, hops));
  }

  async #visit(url: string, hops: number): Promise<void> {
    const host = await this.#hostOf(url);
    const answer = await host?.fetchPage(url, (robotsUrl) => this.#fetchRobots(robotsUrl));
    if (answer === undefined) return;

    const { location } = answer.headers;
    if (location !== undefined) this.#add(new URL(location, url).href, hops + 1, keyOf(url));
    for (const link of linksIn(answer, url)) this.#add(link);
  }

  async #fetchRobots(url: string): Promise<ClientAnswer | undefined> {
    const answer = await (await this.#hostOf(url))?.fetch(url);
    const location = answer?.headers.location;
    if (location !== undefined) return this.#fetchRobots(new URL(location, url).href);
    for (const [, sitemap = ''] of answer?.body.matchAll(/^Sitemap: (.+)$/gm) ?? []) {
      this.#add(new URL(sitemap, url).href);
    }
    return answer;
  }

  #hostOf(url: string): Promise<PoliteHost | undefined> {
    const { hostname } = new URL(url);
    const host = this.#hosts.get(hostname) ?? this.#lookUp(hostname);
    this.#hosts.set(hostname, host);
    return host;
  }

  async #lookUp(hostname: string): Promise<PoliteHost | undefined> {
    try {
      const [address] = await this.#resolver.resolve4(hostname);
      return address === undefined ? undefined : new PoliteHost(address, this.#patience);
    } catch {
      return undefined;
    }
  }
}

function linksIn({ status, body }: ClientAnswer, base: string): readonly string[] {
  if (status !== 200) return [];
  const named = [...body.matchAll(/<a href="?([^">]+)|<loc>([^<]+)|^(http\S+)$/gm)];
  return named.map(([, href, loc, line]) => {
    const written = href ?? loc ?? line ?? '';
    return new URL(written.replaceAll('&amp;', '&'), base).href;
  });
}

function keyOf(url: string): string {
  return url.replace(/\?utm_[^&]*$/, '');
}
