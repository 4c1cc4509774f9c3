import { mkdtemp, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ScopeKind } from '../../domain/crawl-settings.ts';
import { hostKeyOf } from '../../domain/host-key.ts';
import { asRequestUrl } from '../../domain/request-url.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import { MOST_ROOTS } from '../../domain/scope.ts';

/** Seeds held in memory; our choice: some 2 MB. More of them go to a temporary file. */
const KEPT = 20_000;
const BATCH = 1_000;

/** Seeds that were read and judged, any number of them in the same memory. */
export interface SeedList {
  readonly count: number;
  /** One of each host and of each folder, as far as they are counted: what settings follow from. */
  readonly samples: readonly RequestUrl[];
  /** Whether there are more hosts, or folders for `prefix`, than a scope may have roots; then `samples` lack some. */
  readonly outgrows: (scope: ScopeKind) => boolean;
  /** Whether there are hosts that no sample stands for. */
  readonly hasManyHosts: boolean;
  /** All of them, in their order; each once where there are fewer than 20,000. */
  readonly batches: () => AsyncGenerator<readonly RequestUrl[]>;
  /** Lets the temporary file go, if there is one; it has no name any more, so a kill leaves none either. */
  readonly close: () => Promise<void>;
}

/** A list to which seeds are added one by one. */
export interface GrowingSeedList extends SeedList {
  readonly add: (url: RequestUrl) => void;
  /** Writes down what has been added; to be called now and then. */
  readonly settle: () => Promise<void>;
}

/** An empty list of seeds. */
export function newSeedList(): GrowingSeedList {
  const kept = new Set<RequestUrl>();
  const samples = new Map<'host' | 'prefix', Map<string, RequestUrl>>([
    ['host', new Map()],
    ['prefix', new Map()],
  ]);
  let waiting: RequestUrl[] = [];
  let count = 0;
  let file: FileHandle | undefined;

  return {
    get count() {
      return count;
    },
    get samples() {
      return [
        ...new Set([...samples.values()].flatMap((of) => [...of.values()].slice(0, MOST_ROOTS))),
      ];
    },
    get hasManyHosts() {
      return isFull(samples.get('host'));
    },
    outgrows: (scope) =>
      scope !== 'any' && isFull(samples.get(scope === 'prefix' ? 'prefix' : 'host')),
    add: (url) => {
      if (kept.has(url)) return;
      count += 1;
      sample(samples.get('host'), hostKeyOf, url);
      sample(samples.get('prefix'), folderOf, url);
      if (kept.size < KEPT) kept.add(url);
      else waiting.push(url);
    },
    settle: async () => {
      if (waiting.length < BATCH) return;
      file ??= await namelessFile();
      await file.appendFile(`${waiting.join('\n')}\n`);
      waiting = [];
    },
    batches: async function* () {
      yield* sliced([...kept]);
      if (file !== undefined) yield* readBack(file);
      yield* sliced(waiting);
    },
    close: async () => {
      await file?.close();
    },
  };
}

function sample(
  of: Map<string, RequestUrl> | undefined,
  rootOf: (url: RequestUrl) => string,
  url: RequestUrl,
): void {
  if (of === undefined || isFull(of)) return;
  const root = rootOf(url);
  if (!of.has(root)) of.set(root, url);
}

/** The root of a seed for the scope `prefix`, without parsing it again. */
function folderOf(url: RequestUrl): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function isFull(of: ReadonlyMap<string, RequestUrl> | undefined): boolean {
  return (of?.size ?? 0) > MOST_ROOTS;
}

function* sliced(urls: readonly RequestUrl[]): Generator<readonly RequestUrl[]> {
  for (let at = 0; at < urls.length; at += BATCH) yield urls.slice(at, at + BATCH);
}

async function* readBack(file: FileHandle): AsyncGenerator<readonly RequestUrl[]> {
  const input = file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' });
  let batch: RequestUrl[] = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    batch.push(asRequestUrl(line));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Its name is gone before anything is in it. */
async function namelessFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'decorum-seeds-'));
  try {
    return await open(join(folder, 'seeds'), 'wx+');
  } finally {
    await rm(folder, { recursive: true });
  }
}
