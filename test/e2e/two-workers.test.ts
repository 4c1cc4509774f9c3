import { expect } from 'vitest';

import { slotOfFile } from '../../store/file-name.ts';
import { goodWeb } from '../support/test-web.ts';
import { expectNothingLost, IN_FLIGHT, untilInFlight } from './support/kills.ts';
import { killAll } from './support/process-tree.ts';
import { test } from './support/scene.ts';

/** A host that nobody was asking at the kill is asked again within this time (R42). */
const TAKEN_OVER_MS = 30_000;

test(
  'two workers share the hosts, each host with one clock, and one killed leaves its hosts to the other [FRO04]',
  { timeout: 300_000 },
  async ({ scene }) => {
    const { folder } = scene;
    const web = await scene.serve(
      goodWeb({ hosts: 10, pages: 14 }).map((host) => ({ ...host, latencyMs: 80 })),
    );
    const crawl = scene.crawl(web, [web.url('h0.test')], '--workers', '2');
    await untilInFlight(web, 30);

    const slots = new Set(folder.warcFiles().flatMap((name) => slotOfFile(name) ?? []));
    expect(slots.size, 'only one of the workers has fetched').toBe(2);

    const [killed] = folder.record().workers ?? [];
    killAll([killed?.pid ?? 0]);
    const killedAtMs = performance.now();
    const inFlight = await folder.ask<{ request_url: string }>(IN_FLIGHT);

    expect(await crawl.exitCode, crawl.output()).toBe(0);
    const hostsInFlight = new Set(inFlight.map(({ request_url: url }) => new URL(url).hostname));
    const waits = new Map<string, number>();
    for (const { host, startMs } of web.judge.requests()) {
      if (startMs > killedAtMs && !waits.has(host)) waits.set(host, startMs - killedAtMs);
    }
    const late = [...waits].filter(([host, ms]) => !hostsInFlight.has(host) && ms > TAKEN_OVER_MS);
    expect(late).toEqual([]);
    await expectNothingLost(scene, web, inFlight.length);
  },
);
