import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What one thread's heap held, in bytes. */
interface HeapLine {
  readonly threadId: number;
  readonly used: number;
  readonly committed: number;
  readonly external: number;
  readonly usedAfterGc: number;
}

/** Of a process that is started with `environment`. */
export interface HeapProbe {
  readonly environment: Readonly<Record<string, string>>;
  /** Prints what each thread's heap holds, as it is and after a forced collection. */
  readonly print: (pid: number) => Promise<void>;
}

/** `snapshots`: where each thread is to write a heap snapshot too, as the beginning of a path. */
export function heapProbe(snapshots: string | undefined): HeapProbe {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-bench-'));
  const file = join(folder, 'heaps');
  const probe = join(folder, 'probe.cjs');
  const given = { file, snapshots };
  writeFileSync(probe, `const given = ${JSON.stringify(given)};\n${PROBE}`);
  return {
    environment: { NODE_OPTIONS: `--require ${probe}` },
    print: async (pid) => {
      writeFileSync(file, '');
      process.kill(pid, 'SIGUSR2');
      await sleep(snapshots === undefined ? 4_000 : 40_000);
      for (const line of readFileSync(file, 'utf8').trim().split('\n')) printHeap(line);
    },
  };
}

function printHeap(line: string): void {
  const { threadId, used, committed, external, usedAfterGc } = JSON.parse(line) as HeapLine;
  const mb = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MB`;
  console.log(
    `  thread ${String(threadId)}: heap ${mb(used)} of ${mb(committed)}, ${mb(usedAfterGc)} after a collection, ${mb(external)} outside`,
  );
}

// Runs in each thread of the process that is measured, before anything else; on SIGUSR2 each adds a line to the file.
const PROBE = `
const { appendFileSync } = require('node:fs');
const v8 = require('node:v8');
const { runInNewContext } = require('node:vm');
const { BroadcastChannel, isMainThread, threadId } = require('node:worker_threads');
const channel = new BroadcastChannel('decorum-bench-heap');
channel.unref();
channel.onmessage = report;
if (isMainThread) process.on('SIGUSR2', () => { channel.postMessage(''); report(); });
function report() {
  const { used_heap_size: used, total_physical_size: committed, external_memory: external } = v8.getHeapStatistics();
  v8.setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const usedAfterGc = v8.getHeapStatistics().used_heap_size;
  appendFileSync(given.file, JSON.stringify({ threadId, used, committed, external, usedAfterGc }) + '\\n');
  if (given.snapshots) v8.writeHeapSnapshot(given.snapshots + '-' + Date.now() + '-' + threadId + '.heapsnapshot');
}
`;
