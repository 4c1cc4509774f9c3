import type { CrawlSettings, ScopeKind } from '../../domain/crawl-settings.ts';
import { parseRequestUrl } from '../../domain/request-url.ts';
import { MOST_ROOTS } from '../../domain/scope.ts';
import { UsageError } from '../errors.ts';
import type { CommandIo } from '../io.ts';
import { ownershipOf } from '../settings/own-hosts.ts';
import type { AddressesOf, Ownership } from '../settings/own-hosts.ts';
import { count, counted } from '../views/quantities.ts';
import { newSeedList } from './seed-list.ts';
import type { GrowingSeedList, SeedList } from './seed-list.ts';
import { seedFileName, seedLinesOf } from './seed-text.ts';
import { tallyLine } from '../views/tally-line.ts';

const MOST_NAMED = 5;

/** Where seeds come from, and what is done about bad lines. */
export interface SeedOrder {
  readonly typed: readonly string[];
  /** `-` means standard input. */
  readonly file: string | undefined;
  /** Leaves out bad lines of the file, and says so; a seed that was typed must be right in any case. */
  readonly skipBad: boolean;
  readonly quiet: boolean;
}

/** What was read; the seeds are to be closed afterwards. */
export interface ReadSeeds {
  readonly seeds: SeedList;
  /** Bad lines that were left out. */
  readonly leftOut: number;
}

/**
 * The seeds of the command line and of a file, in their order. In a file, blank lines and lines that begin with `#`
 * mean nothing.
 *
 * @throws UsageError that names the bad seeds (in a file by their lines), so that one look mends them.
 */
export async function readSeeds(
  { typed, file, skipBad, quiet }: SeedOrder,
  io: Pick<CommandIo, 'stdin' | 'stderr'>,
): Promise<ReadSeeds> {
  const list = newSeedList();
  const bad = newBadSeeds();
  for (const seed of typed) take(seed, '', list, bad);
  try {
    if (bad.count > 0 && (skipBad || file === undefined)) throw new UsageError(bad.said());
    if (file !== undefined) await readFile({ file, quiet }, io, list, bad);
    if (bad.count > 0 && !skipBad) throw new UsageError(`${bad.said()}${remedy(file)}`);
    if (bad.count > 0 && list.count === 0) {
      throw new UsageError(`no seed is left without the bad ones: ${bad.said()}`);
    }
  } catch (error) {
    await list.close();
    throw error;
  }
  if (bad.count > 0 && !quiet) {
    io.stderr.write(`left out ${counted(bad.count, 'bad seed')}: ${bad.named()}\n`);
  }
  return { seeds: list, leftOut: bad.count };
}

/** Whose hosts the seeds are; more hosts than are counted are nobody's own. */
export async function ownershipOfSeeds(
  seeds: SeedList,
  ask: AddressesOf | undefined,
): Promise<Ownership> {
  return seeds.hasManyHosts ? 'public' : ownershipOf(seeds.samples, ask);
}

/**
 * Refuses seeds that would make a scope of more parts than is kept with a crawl.
 *
 * @throws UsageError
 */
export function requireFewRoots({ scope, scopeRoots }: CrawlSettings, seeds: SeedList): void {
  if (!seeds.outgrows(scope) && scopeRoots.length <= MOST_ROOTS) return;
  throw new UsageError(
    `The seeds lie on more than ${count(MOST_ROOTS)} ${partsOf(scope)}, more than a crawl of --scope ${scope} may have: spread them over several crawls, or use --scope any with --depth.`,
  );
}

function partsOf(scope: ScopeKind): string {
  return scope === 'prefix' ? 'folders' : 'hosts';
}

async function readFile(
  { file, quiet }: { readonly file: string; readonly quiet: boolean },
  { stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>,
  list: GrowingSeedList,
  bad: BadSeeds,
): Promise<void> {
  const name = seedFileName(file);
  const tally = tallyLine(stderr, `seeds read from ${name}`, { isShown: !quiet });
  let lines = 0;
  try {
    for await (const batch of seedLinesOf(file, stdin)) {
      for (const { text, number } of batch) {
        take(text, `${name}, line ${String(number)}: `, list, bad);
      }
      lines += batch.length;
      await list.settle();
      tally.show(lines);
    }
  } finally {
    tally.erase();
  }
  if (lines === 0) throw new UsageError(`${name} has no seeds: write one URL a line.`);
}

function take(seed: string, where: string, list: GrowingSeedList, bad: BadSeeds): void {
  const url = parseRequestUrl(seed);
  if (url === undefined) bad.add(() => `${where}"${shown(seed)}" ${faultOf(seed)}`);
  else list.add(url);
}

interface BadSeeds {
  readonly count: number;
  readonly add: (line: () => string) => void;
  readonly named: () => string;
  readonly said: () => string;
}

/** Counts them all and keeps the words of the first few. */
function newBadSeeds(): BadSeeds {
  const first: string[] = [];
  let all = 0;
  const named = (): string =>
    first.join('; ') + (all > first.length ? `; and ${count(all - first.length)} more` : '');
  return {
    get count() {
      return all;
    },
    add: (line) => {
      all += 1;
      if (first.length < MOST_NAMED) first.push(line());
    },
    named,
    said: () => `bad seed${all > 1 ? 's' : ''}: ${named()}`,
  };
}

function remedy(file: string | undefined): string {
  return file === undefined ? '' : ' (--skip-bad leaves bad lines out)';
}

const SHOWN_CHARACTERS = 200;

function shown(seed: string): string {
  return seed.length > SHOWN_CHARACTERS ? `${seed.slice(0, SHOWN_CHARACTERS)}…` : seed;
}

function faultOf(seed: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(seed)) {
    return /^[\w.-]+\.[a-z]{2,}([:/].*)?$/i.test(seed)
      ? `is no URL: write https://${shown(seed)}`
      : 'is no URL: write one such as https://example.com/';
  }
  return /^https?:/i.test(seed)
    ? 'is no URL that can be fetched'
    : 'is neither http nor https: only those are crawled';
}
