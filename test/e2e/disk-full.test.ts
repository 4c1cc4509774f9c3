import { expect } from 'vitest';

import { BALLAST_BYTES, freeForBallast, takeRoom } from './support/ballast.ts';
import type { CommandRun } from './support/command-run.ts';
import { eventually } from './support/eventually.ts';
import { expectNothingLost, untilInFlight, webToKillIn } from './support/kills.ts';
import { test } from './support/scene.ts';

interface Line {
  readonly kind: string;
  readonly state: string;
  readonly pages: number;
  readonly shortages: readonly { readonly place: string; readonly wantedBytes: number }[];
}

test(
  'a crawl whose disk fills up holds itself, says so, and goes on to its end when there is room',
  { timeout: 300_000 },
  async ({ scene }) => {
    const web = await scene.serve(webToKillIn());
    let requests = 0;
    web.onRequest(() => {
      requests += 1;
    });
    const minFree = (await freeForBallast()) - BALLAST_BYTES / 2;
    const options = ['--json', '--no-wait', '--min-free', String(minFree)];
    const crawl = scene.crawl(web, [web.url('h0.test')], ...options);
    await untilInFlight(web, 20);

    const giveUp = await takeRoom();
    await eventually('a word of the shortage', () => isHeld(linesOf(crawl).at(-1)));
    const [shortage] = linesOf(crawl).at(-1)?.shortages ?? [];
    expect(shortage).toMatchObject({ wantedBytes: minFree });
    expect(shortage?.place).toContain(scene.folder.path);
    await crawl.said('held: no room on ');

    await looks(crawl, 3);
    const requestsBefore = requests;
    await looks(crawl, 5);
    expect(requests).toBe(requestsBefore);
    expect(linesOf(crawl).slice(-5).every(isHeld)).toBe(true);

    await giveUp();
    expect(await crawl.exitCode, crawl.output()).toBe(0);
    expect(linesOf(crawl).at(-1)).toMatchObject({ kind: 'summary', state: 'finished' });
    expect(linesOf(crawl).at(-1)?.shortages).toEqual([]);
    await expectNothingLost(scene, web, 0);
  },
);

function isHeld(line: Line | undefined): boolean {
  return line !== undefined && line.shortages.length > 0;
}

function linesOf(crawl: CommandRun): readonly Line[] {
  const lines = crawl.output().split('\n');
  return lines.filter((line) => /^\{.*\}$/u.test(line)).map((line) => JSON.parse(line) as Line);
}

/** Waits for so many further readings of the progress. */
async function looks(crawl: CommandRun, count: number): Promise<void> {
  const before = linesOf(crawl).length;
  await eventually('further progress', () => linesOf(crawl).length >= before + count);
}
