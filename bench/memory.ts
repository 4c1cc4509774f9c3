import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { openScene, type BenchScene, type Slice } from './bench-scene.ts';
import { heapProbe } from './heap-probe.ts';
import { residentKb, residentKbOfTree } from './processes.ts';

/**
 * What a live host costs a worker in memory: the worker's resident memory at 500, 1,000 and 2,000 live hosts above
 * that of an idle one, in two shapes: gaps that are waited inside visits, and gaps that are durable timers.
 *
 * `--heaps` adds what each thread's heap holds; its forced collection changes what is measured afterwards.
 */
const { values } = parseArgs({
  options: {
    heaps: { type: 'boolean', default: false },
    hosts: { type: 'string', default: '2000' },
    shape: { type: 'string' },
    stages: { type: 'string', default: '0.25,0.5,1' },
  },
});

const BAR_KB = 200;

/** Each gives a page before the worker counts as idle, so that its parser's threads are no host's cost. */
const WARM_UP_HOSTS = 30;
const SAMPLES_APART_MS = 5_000;
const HOSTS = Number(values.hosts);
const STAGES = values.stages.split(',').map((share) => Number(share) * HOSTS);

/** A host that has just been asked rests for a moment, or waits for a link to be admitted. */
const FEWEST_LIVE = 0.95;

// Gaps long enough that the machine keeps up with all hosts; a gap that fits a visit's minute, and one that does not.
const SHAPES = [
  { name: 'gaps inside visits', options: ['--min-gap', '50s', '--visit-pages', '20'] },
  { name: 'gaps as durable timers', options: ['--min-gap', '10m', '--visit-pages', '1'] },
];

let missed = false;
for (const [index, shape] of SHAPES.entries()) {
  if (values.shape !== undefined && Number(values.shape) !== index) continue;
  console.log(`\n${shape.name} (${shape.options.join(' ')})`);
  missed = !(await isWithinBar(shape.options)) || missed;
}
if (missed) process.exitCode = 1;

async function isWithinBar(options: readonly string[]): Promise<boolean> {
  const probe = values.heaps ? heapProbe(process.env['BENCH_HEAP_SNAPSHOTS']) : undefined;
  const scene = await openScene({
    hosts: HOSTS + 1 + WARM_UP_HOSTS,
    pagesAHost: 30,
    environment: probe?.environment ?? {},
  });
  try {
    // Keeps the servers up from before the first live host until after the last.
    scene.crawl('idle', { from: HOSTS, to: HOSTS + 1 }, '--min-gap', '1h', '--pages', '2');
    await until('a worker', 30, async () => (await countsOf(scene)).pages >= 0 && hasWorker(scene));
    await warmUp(scene);
    const idleKb = await settledKb(scene);
    print(scene, 'idle', 0, idleKb, 0);
    await probe?.print(scene.pids().worker);

    let from = 0;
    let worstKb = 0;
    for (const stage of STAGES) {
      worstKb = await stageKb(scene, { from, to: stage }, idleKb, options);
      from = stage;
    }
    await probe?.print(scene.pids().worker);
    const { offences } = scene.web.judge.verdict({ minGapMs: 50_000, gapFactor: 10 });
    if (offences.length > 0) throw new Error(`The crawl was not polite: ${offences.join('; ')}`);
    return (worstKb - idleKb) / HOSTS <= BAR_KB;
  } catch (error) {
    console.error(scene.story());
    throw error;
  } finally {
    await scene.close();
  }
}

/** A crawl of a few hosts from its start to its end: its worker has its threads, and is idle again. */
async function warmUp(scene: BenchScene): Promise<void> {
  const hosts = { from: HOSTS + 1, to: HOSTS + 1 + WARM_UP_HOSTS };
  scene.crawl('warm-up', hosts, '--min-gap', '50s', '--pages', String(WARM_UP_HOSTS));
  await until('the warm-up', 300, async () => (await scene.counts()).pages >= WARM_UP_HOSTS);
  await until('its end', 120, async () => (await scene.counts()).live <= 1);
}

/** Adds hosts until so many are live and each was asked, then measures three times; the largest, in kB. */
async function stageKb(
  scene: BenchScene,
  { from, to }: Slice,
  idleKb: number,
  options: readonly string[],
): Promise<number> {
  scene.crawl(`to-${String(to)}`, { from, to }, '--live-hosts', String(HOSTS + 10), ...options);
  const asked = (): number => new Set(scene.web.judge.requests().map(({ host }) => host)).size;
  await until(
    `${String(to)} live hosts`,
    1_200,
    async () => (await countsOf(scene)).live >= to * FEWEST_LIVE && asked() >= to + WARM_UP_HOSTS,
  );
  let worstKb = 0;
  for (let sample = 0; sample < 3; sample += 1) {
    if (sample > 0) await sleep(SAMPLES_APART_MS);
    const { live, pages } = await scene.counts();
    if (live < to * FEWEST_LIVE) throw new Error(`Only ${String(live)} hosts are live`);
    const kb = residentKb(scene.pids().worker);
    print(scene, 'live', live, kb, (kb - idleKb) / live, pages);
    worstKb = Math.max(worstKb, kb);
  }
  if (to === HOSTS) {
    // Past the first gap every host has had a page, and the caches have what they will have.
    await until(
      'a page of each host',
      600,
      async () => (await scene.counts()).pages >= HOSTS + WARM_UP_HOSTS,
    );
    const { live, pages } = await scene.counts();
    if (live < to * FEWEST_LIVE) throw new Error(`Only ${String(live)} hosts are live`);
    const kb = residentKb(scene.pids().worker);
    print(scene, 'live', live, kb, (kb - idleKb) / live, pages);
    worstKb = Math.max(worstKb, kb);
  }
  return worstKb;
}

function print(
  scene: BenchScene,
  what: string,
  live: number,
  kb: number,
  kbAHost: number,
  pages = 0,
): void {
  const { temporal, postgres } = scene.pids();
  const mb = (amountKb: number): string => `${(amountKb / 1_024).toFixed(0).padStart(5)} MB`;
  console.log(
    `${what.padEnd(5)} ${String(live).padStart(5)} hosts ${String(pages).padStart(6)} pages   worker ${mb(kb)}   ` +
      `${live === 0 ? ''.padEnd(14) : `${kbAHost.toFixed(0).padStart(4)} KB a host`}   ` +
      `Temporal ${mb(residentKbOfTree(temporal))}   Postgres ${mb(residentKbOfTree(postgres))}`,
  );
}

function hasWorker(scene: BenchScene): boolean {
  return (scene.folder.record().workers ?? []).length > 0;
}

/** Before Postgres answers there is nothing to count. */
async function countsOf(
  scene: BenchScene,
): Promise<{ readonly live: number; readonly pages: number }> {
  try {
    return await scene.counts();
  } catch {
    return { live: 0, pages: -1 };
  }
}

/** The worker's memory once it has changed by less than 1 % for 10 s, after it has asked its one host. */
async function settledKb(scene: BenchScene): Promise<number> {
  await until('an idle worker', 120, () => Promise.resolve(scene.web.judge.requests().length > 0));
  const { worker } = scene.pids();
  for (;;) {
    const beforeKb = residentKb(worker);
    await sleep(10_000);
    const kb = residentKb(worker);
    if (Math.abs(kb - beforeKb) < beforeKb / 100) return kb;
  }
}

async function until(
  what: string,
  limitSeconds: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + limitSeconds * 1_000;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`Waited ${String(limitSeconds)} s for ${what}`);
    await sleep(500);
  }
}
