import {
  deepCheck,
  type CrawlFact,
  type DeepCheck,
  type HostFacts,
} from '../../db/deep-check/deep-check.ts';
import type { Db } from '../../db/pool.ts';
import { fault, ok, warning, type Finding } from './finding.ts';
import { archiveFinding } from './warc-folder.ts';

/** A finding of the comparison of all rows, with the comparison itself where it was one. */
export interface DeepFinding extends Finding {
  readonly comparison: DeepCheck | null;
}

/** The database and the folder of its pages. */
export interface DeepOrder {
  readonly db: Db;
  readonly warcFolder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Compares every row with every count, and the fetch records with the WARC files. Changes nothing. */
export async function deepFindings(order: DeepOrder): Promise<readonly DeepFinding[]> {
  const { checks, facts, crawls, files } = await deepCheck(order.db, order);
  const others = [
    ...crawls.flatMap(crawlFinding),
    factsFinding(facts),
    archiveFinding(order.warcFolder, files),
  ];
  return [
    ...checks.map(comparisonFinding),
    ...others.map((finding) => ({ ...finding, comparison: null })),
  ];
}

const REMEDY =
  "a fault of Decorum's own: keep a copy of the data folder, and report it with this output";

/** Whether one comparison came out even. */
export function comparisonFinding(comparison: DeepCheck): DeepFinding {
  const { name, compared, wrong, examples } = comparison;
  if (wrong === 0) return { ...ok(name, `consistent, ${compared} rows compared`), comparison };
  const told = examples.map(
    ({ what, expected, found }) => `${what}: expected ${expected}, found ${found}`,
  );
  const rest = wrong > told.length ? [`and ${wrong - told.length} more`] : [];
  return { ...fault(name, [...told, ...rest].join('; '), REMEDY), comparison };
}

/** What is to be said of a crawl; of most, nothing. */
export function crawlFinding({
  crawl,
  isHalfRemoved,
  waitingLinks,
}: CrawlFact): readonly Finding[] {
  const check = `crawl "${crawl}"`;
  if (isHalfRemoved) {
    const remedy = `finish it: decorum crawls remove ${crawl}`;
    return [warning(check, 'half removed; what is left of it was not compared', remedy)];
  }
  if (waitingLinks === 0) return [];
  const links = waitingLinks === 1 ? '1 link waits' : `${waitingLinks} links wait`;
  return [ok(check, `${links} for the crawl to go on`)];
}

function factsFinding({ pastLeases, heldHosts, unservedUrls }: HostFacts): Finding {
  return ok(
    'hosts',
    `${heldHosts} held, ${pastLeases} with a lease that ran out, ${unservedUrls} due URLs on hosts that nobody serves now`,
  );
}
