import type { WarcPlace } from './exchange.ts';
import type { WarcFile } from './warc-file.ts';
import type { ExchangeRecords } from './warc-records.ts';

/** Writes one crawl's exchanges into its one open file, in the order they come. */
export interface CrawlWriter {
  /** Resolves once both records are fsynced. */
  readonly append: (records: ExchangeRecords) => Promise<WarcPlace>;
  /** Waits for what was appended, then closes the file. */
  readonly close: () => Promise<void>;
}

/** The most that one write to disk may hold, so that waiting large pages aren't copied all at once. */
const BATCH_BYTES = 32_000_000;

/**
 * Writes are serialised, and whatever arrives while one batch is being fsynced makes up the next: many visits share
 * one fsync (group commit). A file is followed by the next one where an exchange would take it over `maxFileBytes`;
 * an exchange larger than that gets a file of its own.
 */
export function createCrawlWriter(
  nextFile: () => Promise<WarcFile>,
  maxFileBytes: number,
): CrawlWriter {
  const waiting: Waiting[] = [];
  let file: WarcFile | undefined;
  let isEmptyFile = true;
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await writeBatch().catch((error: unknown) => {
        waiting.shift()?.reject(error);
      });
    }
    draining = undefined;
  }

  /** Throws only before it has taken anything from the queue. */
  async function writeBatch(): Promise<void> {
    const target = await openFile(waiting[0]);
    const roomBytes = Math.min(maxFileBytes - target.sizeBytes(), BATCH_BYTES);
    const batch = waiting.splice(0, countThatFit(waiting, roomBytes));
    isEmptyFile = false;
    const isSettled = await settleBatch(target, batch);
    if (!isSettled) waiting.unshift(...batch);
  }

  async function openFile(first: Waiting | undefined): Promise<WarcFile> {
    const isFull =
      file !== undefined && !isEmptyFile && file.sizeBytes() + sizeOf(first) > maxFileBytes;
    if (file !== undefined && (isFull || file.isBroken() || file.isAtLimit())) {
      const done = file;
      file = undefined;
      await done.close();
    }
    if (file === undefined) {
      file = await nextFile();
      isEmptyFile = true;
    }
    return file;
  }

  return {
    append: (records) =>
      new Promise((resolve, reject) => {
        waiting.push({ records, resolve, reject });
        draining ??= drain();
      }),
    close: async () => {
      await draining;
      await file?.close();
      file = undefined;
    },
  };
}

interface Waiting {
  readonly records: ExchangeRecords;
  readonly resolve: (place: WarcPlace) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends a batch and tells each of its writers; one failure is the failure of all, as all share the write.
 *
 * @returns false where nobody was told, since the batch belongs into the next file.
 */
async function settleBatch(file: WarcFile, batch: readonly Waiting[]): Promise<boolean> {
  const start = file.sizeBytes();
  const parts = batch.flatMap(({ records }) => [records.response, records.request]);
  try {
    await file.append(Buffer.concat(parts));
  } catch (error) {
    if (file.isAtLimit()) return false;
    for (const { reject } of batch) reject(error);
    return true;
  }
  let offset = start;
  for (const one of batch) {
    const { response, recordId, digest } = one.records;
    one.resolve({ file: file.name, offset, length: response.length, recordId, digest });
    offset += sizeOf(one);
  }
  return true;
}

/** How many of the first exchanges fit into the room; at least one. */
function countThatFit(waiting: readonly Waiting[], roomBytes: number): number {
  let bytes = 0;
  const firstTooLarge = waiting.findIndex((one) => (bytes += sizeOf(one)) > roomBytes);
  return firstTooLarge === -1 ? waiting.length : Math.max(1, firstTooLarge);
}

function sizeOf(one: Waiting | undefined): number {
  return one === undefined ? 0 : one.records.response.length + one.records.request.length;
}
