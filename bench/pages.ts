import { setTimeout as sleep } from 'node:timers/promises';

import { openScene } from './bench-scene.ts';
import { cpuMsOfTree } from './processes.ts';

/** Pages a second, and what a page costs in processor time, by process: 150 hosts of 20 pages, a gap of a second. */
const HOSTS = 150;
const PAGES_A_HOST = 20;
const LIMIT_MS = 600_000;

const scene = await openScene({ hosts: HOSTS, pagesAHost: PAGES_A_HOST, environment: {} });
try {
  const run = scene.crawl('pages', { from: 0, to: HOSTS });
  const wanted = HOSTS * PAGES_A_HOST;
  const deadline = performance.now() + LIMIT_MS;
  let before = await firstLook();
  const start = before;
  let peakPerSecond = 0;
  while (before.pages < wanted && !run.hasExited() && performance.now() < deadline) {
    await sleep(2_000);
    const now = await look();
    peakPerSecond = Math.max(
      peakPerSecond,
      (now.pages - before.pages) / ((now.atMs - before.atMs) / 1_000),
    );
    before = now;
  }
  if (before.pages !== wanted)
    throw new Error(`${String(before.pages)} of ${String(wanted)} pages`);
  const { offences, repeats } = scene.web.judge.verdict({ minGapMs: 1_000, gapFactor: 10 });
  if (offences.length + repeats.length > 0) throw new Error(`Not polite: ${offences.join('; ')}`);

  const pages = before.pages - start.pages;
  const seconds = (before.atMs - start.atMs) / 1_000;
  console.log(
    `${String(pages)} pages in ${seconds.toFixed(0)} s: ${(pages / seconds).toFixed(0)} a second, ${peakPerSecond.toFixed(0)} at the peak`,
  );
  for (const name of ['worker', 'temporal', 'postgres'] as const) {
    console.log(
      `${name.padEnd(9)} ${((before.cpu[name] - start.cpu[name]) / pages).toFixed(1).padStart(5)} CPU-ms a page`,
    );
  }
} catch (error) {
  console.error(scene.story());
  throw error;
} finally {
  await scene.close();
}

interface Look {
  readonly atMs: number;
  readonly pages: number;
  readonly cpu: Readonly<Record<'worker' | 'temporal' | 'postgres', number>>;
}

async function look(): Promise<Look> {
  const { worker, temporal, postgres } = scene.pids();
  const { pages } = await scene.counts();
  return {
    atMs: performance.now(),
    pages,
    cpu: {
      worker: cpuMsOfTree(worker),
      temporal: cpuMsOfTree(temporal),
      postgres: cpuMsOfTree(postgres),
    },
  };
}

/** Once the worker has settled its first pages: its start is not theirs to bear. */
async function firstLook(): Promise<Look> {
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    if (scene.web.judge.pages().size > 0) return look();
    await sleep(200);
  }
  throw new Error('No page was fetched');
}
