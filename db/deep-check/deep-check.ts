import { inTransaction, type Db } from '../pool.ts';
import { readRecordedFiles, type RecordedFile } from './archive.ts';
import { EXAMPLES, type DeepCheck } from './check.ts';
import { counts } from './counts.ts';
import { readCrawlFacts, type CrawlFact } from './crawls.ts';
import { frontQueues, standings } from './front-queues.ts';
import { leasesAndHolds, readHostFacts, type HostFacts } from './hosts.ts';
import { hostsOfUrls, pagesOfHosts, recordsOfUrls } from './references.ts';

export type { DeepCheck, Inconsistency } from './check.ts';
export type { CrawlFact } from './crawls.ts';
export type { HostFacts } from './hosts.ts';
export type { RecordedFile } from './archive.ts';

/** All that a look at every row has shown, as of one instant. */
export interface DeepReport {
  readonly checks: readonly DeepCheck[];
  readonly facts: HostFacts;
  readonly crawls: readonly CrawlFact[];
  /** For a look at the WARC folder, which this room cannot see. */
  readonly files: readonly RecordedFile[];
}

const STATEMENTS = [
  counts,
  frontQueues,
  standings,
  hostsOfUrls,
  pagesOfHosts,
  recordsOfUrls,
  leasesAndHolds,
];

// One snapshot for all statements: a running crawl writes on meanwhile, and each of its transactions is in it whole or
// not at all.
const SNAPSHOT = 'set transaction isolation level repeatable read, read only';

// Groups and joins of millions of rows spill to disk above this; one connection uses it, a few times over.
const MEMORY = `
  select set_config('work_mem', '64MB', true),
         set_config('hash_mem_multiplier', '2', true)`;

/**
 * Compares every row's state with every count, of all crawls that aren't being removed, in a read-only snapshot: some ten scans, and no lock
 * that a crawl would wait for.
 *
 * @param say hears what is looked at next.
 * @param signal ends the look between two statements.
 * @throws the signal's reason where it was aborted.
 */
export async function deepCheck(
  db: Db,
  {
    say = () => undefined,
    signal,
  }: { readonly say?: (line: string) => void; readonly signal?: AbortSignal } = {},
): Promise<DeepReport> {
  return inTransaction(db, async (tx) => {
    await tx.query(SNAPSHOT);
    await tx.query(MEMORY);
    const checks: DeepCheck[] = [];
    for (const [at, { looksAt, text }] of STATEMENTS.entries()) {
      signal?.throwIfAborted();
      say(`comparing ${looksAt} (${at + 1} of ${STATEMENTS.length})`);
      const { rows } = await tx.query<DeepCheck>(text);
      checks.push(...rows.map((row) => ({ ...row, examples: row.examples.slice(0, EXAMPLES) })));
    }
    signal?.throwIfAborted();
    return {
      checks,
      facts: await readHostFacts(tx),
      crawls: await readCrawlFacts(tx),
      files: await readRecordedFiles(tx),
    };
  });
}
