import { mkdir } from 'node:fs/promises';
import { createCrawlWriter, type CrawlWriter } from './crawl-writer.ts';
import type { ArchivedExchange, WarcPlace } from './exchange.ts';
import { isSlot, warcFileName } from './file-name.ts';
import { recoverWarcFiles } from './recover-files.ts';
import { createWarcFile, type WarcFile } from './warc-file.ts';
import { exchangeRecords, warcinfoRecord } from './warc-records.ts';

export type { ArchivedExchange, HeaderLines, WarcPlace } from './exchange.ts';

/** Keeps what was fetched in WARC/1.1 files (ISO 28500:2017), one open file a crawl (R32). */
export interface WarcStore {
  /**
   * Appends a response and its request. Resolves only after both are fsynced, so that what is settled afterwards is
   * surely kept; a disk error is thrown, and nothing of the exchange stays.
   */
  readonly write: (exchange: ArchivedExchange) => Promise<WarcPlace>;
  /** Waits for the writes under way, then closes the files. */
  readonly close: () => Promise<void>;
}

export interface WarcStoreOptions {
  readonly dir: string;
  /** This process's own name among all that write to the folder; the same one after a restart. */
  readonly slot: string;
  /** Where a file ends and the next begins (R32: 1 GB). */
  readonly maxFileBytes?: number;
  /** Named in each file's warcinfo record. */
  readonly software?: string;
}

/** Opens the folder for writing, after making whole what a killed process of this slot left in it. */
export async function openWarcStore({
  dir,
  slot,
  maxFileBytes = 1_000_000_000,
  software = 'Decorum',
}: WarcStoreOptions): Promise<WarcStore> {
  if (!isSlot(slot)) throw new Error(`Not usable as a slot in file names: ${JSON.stringify(slot)}`);
  await mkdir(dir, { recursive: true });
  await recoverWarcFiles(dir, slot);

  const writers = new Map<string, CrawlWriter>();
  const underWay = new Set<Promise<unknown>>();
  let serial = 0;
  let isClosed = false;

  async function nextFile(crawl: string): Promise<WarcFile> {
    const createdAt = new Date();
    serial += 1;
    const file = warcFileName({ crawl, createdAt, slot, serial });
    return createWarcFile(dir, file, await warcinfoRecord({ file, crawl, software, createdAt }));
  }

  function writerOf(crawl: string): CrawlWriter {
    const writer = writers.get(crawl) ?? createCrawlWriter(() => nextFile(crawl), maxFileBytes);
    writers.set(crawl, writer);
    return writer;
  }

  async function write(exchange: ArchivedExchange): Promise<WarcPlace> {
    if (isClosed) throw new Error(`The WARC store of ${dir} is closed`);
    const written = exchangeRecords(exchange).then(writerOf(exchange.crawl).append);
    underWay.add(written);
    try {
      return await written;
    } finally {
      underWay.delete(written);
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.allSettled(underWay);
    await Promise.all([...writers.values()].map((writer) => writer.close()));
    writers.clear();
  }

  return { write, close };
}
