import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadConfig, type Surroundings } from './config.ts';
import { takeLock } from './file-lock.ts';
import { BadInput, ServersUnreachable } from './server-errors.ts';
import { buildTemporal } from './temporal-build.ts';
import { downloadTemporal } from './temporal-download.ts';

/** The release that is downloaded or built; `tools/temporal/go.mod` names the same one. */
export const TEMPORAL_CLI_VERSION = '1.8.2';

/**
 * Finds a Temporal command line that runs, by the first way that works: `TEMPORAL_CLI`, `temporal` on the path, the
 * one kept from an earlier run, the official download (offline it is given up within 5 s), a build with Go.
 *
 * @param say hears one line for each slow step.
 */
export async function findTemporalCli(
  say: (line: string) => void,
  surroundings: Surroundings = loadConfig().surroundings,
): Promise<string> {
  return (
    (await installedTemporalCli(surroundings)) ?? obtain(keptIn(surroundings), say, surroundings)
  );
}

/**
 * The Temporal command line that is there already; `undefined` where it would have to be downloaded or built.
 *
 * @throws BadInput where `TEMPORAL_CLI` names one that does not run.
 */
export async function installedTemporalCli(
  surroundings: Surroundings,
): Promise<string | undefined> {
  const { temporalCli, path } = surroundings;
  if (temporalCli !== undefined) {
    if (await runs(temporalCli)) return temporalCli;
    throw new BadInput(`TEMPORAL_CLI is "${temporalCli}", which does not run`);
  }
  const folders = path.split(delimiter).filter((entry) => entry !== '');
  for (const program of [...folders.map((at) => join(at, PROGRAM)), keptIn(surroundings)]) {
    if (await runs(program)) return program;
  }
  return undefined;
}

/** What the program says of itself, in one line. */
export async function versionOfCli(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 30_000 });
  return stdout.trim().split('\n')[0] ?? '';
}

function keptIn({ cacheFolder }: Surroundings): string {
  return join(cacheFolder, `temporal-${TEMPORAL_CLI_VERSION}`, PROGRAM);
}

const PROGRAM = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** Downloads or builds, one process at a time; the others wait for what the first one makes. */
async function obtain(
  kept: string,
  say: (line: string) => void,
  surroundings: Surroundings,
): Promise<string> {
  const lock = await lockOrWait(`${kept}.lock`, say);
  try {
    if (await runs(kept)) return kept;
    await clearDrafts(kept);
    const failures: string[] = [];
    for (const make of [downloadTemporal, buildTemporal]) {
      try {
        await make({ version: TEMPORAL_CLI_VERSION, target: kept, say, surroundings });
        if (await runs(kept)) return kept;
        failures.push(`${kept} does not run here`);
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    throw new ServersUnreachable(
      `No Temporal command line: ${failures.join('; ')}. Install it (https://docs.temporal.io/cli) so that "temporal" is on the path, or install Go (https://go.dev/dl) so that it can be built, or name one in TEMPORAL_CLI, or name a running service in TEMPORAL_ADDRESS`,
    );
  } finally {
    await lock.release();
  }
}

/** Removes what a killed download or build left; the lock says that none is under way. */
async function clearDrafts(kept: string): Promise<void> {
  for (const name of await readdir(dirname(kept))) {
    if (/\.(download|build)\.\d+$/.test(name)) {
      await rm(join(dirname(kept), name), { recursive: true, force: true });
    }
  }
}

async function lockOrWait(
  path: string,
  say: (line: string) => void,
): Promise<{ release: () => Promise<void> }> {
  for (let waits = 0; ; waits += 1) {
    const answer = await takeLock(path);
    if (answer.kind === 'ours') return answer;
    if (waits === 0) say(`waiting for process ${answer.by.pid}, which is getting Temporal ready`);
    await sleep(500);
  }
}

async function runs(program: string): Promise<boolean> {
  try {
    await access(program, constants.X_OK);
    await promisify(execFile)(program, ['--version'], { timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}
