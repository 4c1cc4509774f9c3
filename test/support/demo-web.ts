import type { DemoRecord } from './demo-record.ts';
import { nextCrawlName } from './demo-record.ts';
import { goodWeb, startTestWeb, type TestWeb } from './test-web.ts';

/** Twenty hosts of 24 pages, at a gap of a second, are about a minute of crawling. */
const HOSTS = 20;
const PAGES_A_HOST = 24;

/** The demo's web, and the crawl that is to run on it. */
export interface DemoWeb extends Pick<TestWeb, 'judge' | 'dnsServer' | 'close'> {
  readonly crawl: string;
  /** Whether the crawl was begun by an earlier demo. */
  readonly goesOn: boolean;
  readonly hosts: number;
  readonly seed: string;
  /** A page to ask `why` about. */
  readonly aPage: string;
  /** Every page that a polite crawl ends up with. */
  readonly reachable: ReadonlySet<string>;
  readonly ports: Pick<DemoRecord, 'webPort' | 'dnsPort'>;
}

/**
 * Starts the web: on the ports of a crawl that is still under way, whose URLs name them; else on free ones, for a new
 * crawl.
 */
export async function openDemoWeb(last: DemoRecord | undefined): Promise<DemoWeb> {
  const again = last?.underWay === true ? await startAgain(last) : undefined;
  const web = again ?? (await startTestWeb({ hosts: hosts() }));
  return {
    judge: web.judge,
    dnsServer: web.dnsServer,
    close: web.close,
    crawl: again === undefined || last === undefined ? nextCrawlName(last?.crawl) : last.crawl,
    goesOn: again !== undefined,
    hosts: HOSTS,
    seed: web.url('h0.test'),
    aPage: web.url('h7.test', '/p/3'),
    reachable: web.reachable(),
    ports: { webPort: web.port, dnsPort: Number(web.dnsServer.split(':').at(-1)) },
  };
}

/** `undefined` where somebody else has taken one of the ports in the meantime. */
async function startAgain({ webPort, dnsPort }: DemoRecord): Promise<TestWeb | undefined> {
  try {
    return await startTestWeb({ hosts: hosts(), bindPort: webPort, dnsPort });
  } catch {
    return undefined;
  }
}

function hosts() {
  return goodWeb({ hosts: HOSTS, pages: PAGES_A_HOST });
}
