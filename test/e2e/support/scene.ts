import { onTestFailed, test as plain } from 'vitest';

import {
  startTestWeb,
  type HostSpec,
  type TestWeb,
  type TestWebOptions,
} from '../../support/test-web.ts';
import { startCommand, type CommandRun } from './command-run.ts';
import { makeCrawlFolder, type CrawlFolder } from './crawl-folder.ts';

/** A web, a data folder and the commands that are run on them. */
export interface Scene {
  readonly folder: CrawlFolder;
  /** Starts the scene's web. */
  readonly serve: (
    hosts: readonly HostSpec[],
    options?: Omit<TestWebOptions, 'hosts'>,
  ) => Promise<TestWeb>;
  /** `decorum crawl` from these seeds and over all hosts of the web. */
  readonly crawl: (
    web: TestWeb,
    seeds: readonly string[],
    ...options: readonly string[]
  ) => CommandRun;
  /** Adds to the environment of the commands started from now on. */
  readonly set: (settings: Readonly<Record<string, string>>) => void;
  /** Any command on the scene's data folder. */
  readonly run: (...args: readonly string[]) => CommandRun;
}

/** `test` with a scene of its own: a data folder with servers of its own, all ended and removed afterwards. */
export const test = plain.extend<{ readonly scene: Scene }>({
  scene: async ({}, use) => {
    const folder = makeCrawlFolder();
    const runs: CommandRun[] = [];
    const webs: TestWeb[] = [];
    const environment: Record<string, string> = {};
    const run = (...args: readonly string[]): CommandRun => {
      const started = startCommand([...args, '--data', folder.path], environment);
      runs.push(started);
      return started;
    };
    let logs = '';
    onTestFailed(() => {
      for (const { output } of runs) process.stderr.write(`${output()}\n`);
      process.stderr.write(`${logs}\n`);
    });

    await use({
      folder,
      run,
      set: (settings) => {
        Object.assign(environment, settings);
      },
      crawl: (web, seeds, ...options) =>
        run(
          'crawl',
          ...seeds,
          '--scope',
          'any',
          '--allow-private',
          '--dns',
          web.dnsServer,
          ...options,
        ),
      serve: async (hosts, options) => {
        const web = await startTestWeb({ hosts, ...options });
        webs.push(web);
        return web;
      },
    });

    await Promise.all(runs.filter(({ hasExited }) => !hasExited()).map(({ close }) => close()));
    logs = folder.logs();
    await folder.dispose();
    await Promise.all(webs.map(({ close }) => close()));
  },
});

/** The politeness that crawls keep by default. */
export const DEFAULT_LAW = { minGapMs: 1_000, gapFactor: 10 } as const;
