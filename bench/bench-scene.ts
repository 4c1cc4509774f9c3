import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startCommand, type CommandRun } from '../test/e2e/support/command-run.ts';
import { makeCrawlFolder, type CrawlFolder } from '../test/e2e/support/crawl-folder.ts';
import { goodWeb, startTestWeb, type TestWeb } from '../test/support/test-web.ts';

/** What a bench runs on: a web of good hosts and the real command on a data folder that is thrown away. */
export interface BenchScene {
  readonly web: TestWeb;
  readonly folder: CrawlFolder;
  /** Starts a crawl of these hosts' own pages, each host a seed. */
  readonly crawl: (name: string, hosts: Slice, ...options: readonly string[]) => CommandRun;
  /** Process ids of the servers and of the one worker. */
  readonly pids: () => Pids;
  /** The crawls' counts, read as `status` reads them. */
  readonly counts: () => Promise<Counts>;
  /** What the commands printed and the logs' ends, to be shown where a bench fails. */
  readonly story: () => string;
  /** Ends all of it. */
  readonly close: () => Promise<void>;
}

/** Hosts of the web, by number: the first, and the one after the last. */
export interface Slice {
  readonly from: number;
  readonly to: number;
}

export interface Pids {
  readonly worker: number;
  readonly temporal: number;
  readonly postgres: number;
}

export interface Counts {
  readonly live: number;
  readonly pages: number;
}

export interface SceneOptions {
  readonly hosts: number;
  readonly pagesAHost: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Makes a scene; the servers and the worker start with its first crawl. Needs the build. */
export async function openScene({
  hosts,
  pagesAHost,
  environment,
}: SceneOptions): Promise<BenchScene> {
  const web = await startTestWeb({
    hosts: goodWeb({ hosts, pages: pagesAHost }),
    ttlSeconds: 3_600,
  });
  const folder = makeCrawlFolder();
  const runs: CommandRun[] = [];

  return {
    web,
    folder,
    crawl: (name, { from, to }, ...options) => {
      const file = join(folder.path, `${name}.seeds`);
      writeFileSync(
        file,
        Array.from({ length: to - from }, (_, n) => web.url(`h${String(from + n)}.test`)).join(
          '\n',
        ),
      );
      const run = startCommand(
        [
          'crawl',
          '--name',
          name,
          '--seeds',
          file,
          '--allow-private',
          '--dns',
          web.dnsServer,
          '--data',
          folder.path,
          ...options,
        ],
        { ...environment, DECORUM_VISITS_AT_ONCE: process.env['DECORUM_VISITS_AT_ONCE'] ?? '' },
      );
      runs.push(run);
      return run;
    },
    pids: () => {
      const { workers, temporal, postgres } = folder.record();
      const worker = workers?.[0];
      if (worker === undefined || temporal === undefined || postgres === undefined)
        throw new Error('Not everything runs');
      return { worker: worker.pid, temporal: temporal.pid, postgres: postgres.pid };
    },
    counts: async () => {
      const [row] = await folder.ask<Counts>(COUNTS);
      return row ?? { live: 0, pages: 0 };
    },
    story: () => [...runs.map(({ output }) => output()), folder.logs()].join('\n'),
    close: async () => {
      await Promise.all(runs.filter(({ hasExited }) => !hasExited()).map(({ close }) => close()));
      await folder.dispose();
      await web.close();
    },
  };
}

// As in a crawl's progress: a live host is one whose row says so, pages are what was settled.
const COUNTS = `
  select (select count(*)::int from host where state = 'live') as live,
         (select coalesce(sum(pages_settled), 0)::int from crawl) as pages`;
