import { cpus, freemem, totalmem } from 'node:os';
import { formatBytes } from '../../domain/byte-size.ts';
import { ok, warning, fault, type Finding } from './finding.ts';

/** What the process may use of the machine, apart from its disk. */
export function machineFindings(visitsAtOnce: number): readonly Finding[] {
  return [fileLimitFinding(openFilesLimit(), visitsAtOnce), memoryFinding(memoryNow())];
}

/** Files of a worker beside its visits: 35 when idle, as measured, 20 connections to Postgres, WARC files, look-ups. */
const FILES_OF_A_WORKER = 100;
/** A visit sends one request at a time, over one connection; while the next name is looked up, one more. */
const FILES_OF_A_VISIT = 1;
/** With fewer visits at once than these, a crawl of a few hosts fails already. */
const FEW_VISITS = 20;

/**
 * Whether a worker can open as many files and connections as its visits need.
 *
 * @param limit `ulimit -n`; `undefined` where there is none.
 */
export function fileLimitFinding(limit: number | undefined, visitsAtOnce: number): Finding {
  if (limit === undefined) return ok('open files', 'no limit');
  const needed = FILES_OF_A_WORKER + visitsAtOnce * FILES_OF_A_VISIT;
  if (limit >= needed) {
    return ok(
      'open files',
      `at most ${limit}; ${needed} are enough for ${visitsAtOnce} visits at once`,
    );
  }
  const visits = Math.max(Math.floor((limit - FILES_OF_A_WORKER) / FILES_OF_A_VISIT), 0);
  const found = `at most ${limit}: enough for ${visits} visits at once of the ${visitsAtOnce} that a worker may make`;
  return visits < FEW_VISITS
    ? fault('open files', found, `raise the limit: ulimit -n ${needed}`)
    : warning(
        'open files',
        found,
        `raise the limit (ulimit -n ${needed}), or set DECORUM_VISITS_AT_ONCE=${visits}`,
      );
}

// Node raises its soft limit to the hard one at start, so the two are one here, and for its workers.
function openFilesLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  const limit = typeof soft === 'string' || typeof soft === 'number' ? Number(soft) : Number.NaN;
  return Number.isFinite(limit) ? limit : undefined;
}

/** Bytes of memory: of the machine or of the container's share, and what is free. */
export interface Memory {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Postgres, Temporal, a supervisor, a command and a worker with two parse threads; a worker grows with its live hosts. */
const ENOUGH_BYTES = 1_000_000_000;
const LEAST_BYTES = 400_000_000;

/** Whether servers and a worker fit into the memory. */
export function memoryFinding({ totalBytes, freeBytes }: Memory): Finding {
  const found = `${formatBytes(freeBytes)} free of ${formatBytes(totalBytes)}, ${cpus().length} cores`;
  if (freeBytes >= ENOUGH_BYTES) return ok('memory', found);
  const remedy =
    'end other programs, or use servers on another machine (DATABASE_URL, TEMPORAL_ADDRESS)';
  return freeBytes >= LEAST_BYTES
    ? warning('memory', `${found}; about 1 GB is needed`, remedy)
    : fault('memory', `${found}; about 1 GB is needed`, remedy);
}

function memoryNow(): Memory {
  const share = process.constrainedMemory();
  const isShare = share > 0 && share < totalmem();
  return isShare
    ? { totalBytes: share, freeBytes: Math.min(process.availableMemory(), freemem()) }
    : { totalBytes: totalmem(), freeBytes: freemem() };
}
