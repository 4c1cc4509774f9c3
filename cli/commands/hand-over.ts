import type { CrawlRow } from '../../db/crawls.ts';
import { addSeeds } from '../../db/outbox.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import type { SeedList } from '../seeds/seed-list.ts';
import { seedBands } from '../settings/prioritizer.ts';
import { seedSelection, type SeedSelection } from '../seeds/selected-seeds.ts';
import type { Session } from '../session.ts';
import { counted } from '../views/quantities.ts';
import { tallyLine } from '../views/tally-line.ts';
import type { Screen } from '../views/terminal.ts';

/** Seeds that a crawl was given, and those that its own rules left out. */
export interface HandedOver {
  readonly given: number;
  readonly leftOut: number;
}

/**
 * Gives all seeds that its rules take to a crawl, whose scope grows by these roots.
 *
 * @returns how many; `undefined` where the person left before the end, and none was given.
 */
export async function handOver(
  { db, interrupts, terminal, flags }: Session,
  { crawlId, settings }: CrawlRow,
  seeds: SeedList,
  { roots, stderr }: { readonly roots: readonly string[]; readonly stderr: Screen },
): Promise<HandedOver | undefined> {
  const bandOf = await seedBands(settings, seeds.samples);
  let faults = 0;
  const choose: typeof bandOf = (evidence) => {
    const choice = bandOf(evidence);
    if (choice.fault !== undefined) faults += 1;
    return choice;
  };
  const tally = tallyLine(stderr, 'seeds handed over', { isShown: flags.quiet !== true });
  const selection = seedSelection(settings);
  const watch = { show: tally.show, interrupted: interrupts.signal, selection };
  try {
    const given = await addSeeds(db, { crawlId, settings, roots, choose }, watched(seeds, watch));
    tally.erase();
    const said = selection.said();
    if (said !== undefined) terminal.note(said);
    return { given, leftOut: selection.leftOut() };
  } catch (error) {
    if (error instanceof Interrupted) return undefined;
    throw error;
  } finally {
    tally.erase();
    if (faults > 0)
      terminal.note(`the prioritizer is at fault with ${counted(faults, 'seed')}: by other rules`);
  }
}

class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

interface Watch {
  readonly show: (done: number) => void;
  readonly interrupted: AbortSignal;
  readonly selection: SeedSelection;
}

async function* watched(
  seeds: SeedList,
  { show, interrupted, selection }: Watch,
): AsyncGenerator<readonly RequestUrl[]> {
  let done = 0;
  for await (const batch of seeds.batches()) {
    // Thrown, so that what was given so far is taken back.
    if (interrupted.aborted) throw new Interrupted();
    yield selection.taken(batch);
    done += batch.length;
    show(done);
  }
}
