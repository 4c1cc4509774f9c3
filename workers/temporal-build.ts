import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from './package-root.ts';
import type { TemporalOrder } from './temporal-download.ts';

/** The least time between two lines of progress. */
const PROGRESS_MS = 20_000;

/** Builds the pinned release from source with Go: about 1 minute of downloads and 5 of building on 2 cores. */
export async function buildTemporal({ target, say, surroundings }: TemporalOrder): Promise<void> {
  const module = join(packageRoot(), 'tools', 'temporal');
  const draft = `${target}.build.${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  say('building Temporal from source with Go (once, about 6 minutes)');
  // -v names each package as it is done, on standard error.
  const flags = ['build', '-v', '-trimpath', '-ldflags=-s -w', '-o', draft, PACKAGE];
  const child = spawn('go', flags, {
    cwd: module,
    env: { ...surroundings.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const [last, code] = await Promise.all([report(child.stderr, say), exitCode(child)]);
    if (code !== 0)
      throw new Error(`go build in ${module} ended with ${code ?? 'a signal'}: ${last}`);
    await rename(draft, target);
  } finally {
    await rm(draft, { force: true });
  }
}

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';

async function exitCode(child: ReturnType<typeof spawn>): Promise<number | null> {
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('Go is not on the path', { cause: error });
  }
}

/** Says now and then how far the build is; gives the last line, which names the fault where there is one. */
async function report(output: NodeJS.ReadableStream, say: (line: string) => void): Promise<string> {
  let [last, downloaded, built] = ['', 0, 0];
  let saidAt = performance.now();
  for await (const line of createInterface({ input: output })) {
    last = line;
    if (line.startsWith('go: downloading')) downloaded += 1;
    else built += 1;
    if (performance.now() - saidAt < PROGRESS_MS) continue;
    saidAt = performance.now();
    say(`building Temporal: ${downloaded} modules downloaded, ${built} packages built`);
  }
  return last;
}
