import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig, type Config, type Environment, type TemporalTarget } from './config.ts';
import { openDataFolder, readRecord, type DataFolder } from './data-folder.ts';
import { holderOf } from './file-lock.ts';
import { hasEnded, isAlive } from './processes.ts';
import { checkDatabase } from './prepare-database.ts';
import { scriptArguments } from './run-script.ts';
import { ServersUnreachable } from './server-errors.ts';
import { callSupervisor, type Call, type Loss } from './supervisor-call.ts';
import {
  EXIT_LOCK_HELD,
  type Addresses,
  type Join,
  type Need,
  type OwnPids,
} from './supervisor-protocol.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { requireFreePorts, wishedPorts } from './wished-ports.ts';

export { BadInput, ServersUnreachable } from './server-errors.ts';
export type { Loss } from './supervisor-call.ts';

/** What a command asks for. */
export interface ServersOrder {
  readonly dataDir: string;
  readonly need: Need;
  /** How many worker processes, at least; with need `everything`. */
  readonly workers?: number;
  /** Hears one line for each slow step, and for each death and return of a process. */
  readonly say: (line: string) => void;
  /** For tests: another script instead of the worker's. */
  readonly workerEntry?: string;
  /** For tests: another environment than the process's. */
  readonly config?: Config;
}

/** Running servers, and our claim on them. */
export interface Servers {
  /** Migrated; with its password. */
  readonly databaseUrl: string;
  /** `undefined` where only the database was asked for. */
  readonly temporal: TemporalTarget | undefined;
  /** Of a Temporal of our own. */
  readonly uiUrl: string | undefined;
  /** Of the supervisor and its children, as they are now. */
  readonly ownPids: () => OwnPids;
  /** Resolves if the servers are ended by others; after a kill some may run on, but nothing is restarted. */
  readonly lost: Promise<Loss>;
  /** Has the servers stay, also when the last client has left. */
  readonly detach: () => void;
  /** Gives up the claim. Says whether everything is down, as it is where we were the last. */
  readonly leave: () => Promise<{ readonly stopped: boolean }>;
}

/**
 * Joins the supervisor of a data folder, starting it where none runs, and has it start what is needed.
 *
 * @throws BadInput where the folder cannot be used, ServersUnreachable where a server cannot be reached or started.
 */
export async function openServers(order: ServersOrder): Promise<Servers> {
  const config = order.config ?? loadConfig();
  await requireNamedServers(config, order.need);
  if (!existsSync(order.dataDir)) await requireFreePorts(wishedPorts(config, order.need));
  const folder = openDataFolder(order.dataDir);
  const call = await untilJoined(order, config, folder);
  return {
    databaseUrl: call.addresses.databaseUrl,
    temporal: targetOf(call.addresses, config),
    uiUrl: call.addresses.uiUrl,
    ownPids: call.pids,
    lost: call.lost,
    detach: call.detach,
    leave: async () => {
      const { supervisor } = readRecord(folder);
      const stopped = await call.leave();
      if (stopped && supervisor !== undefined) await hasEnded(supervisor, SUPERVISOR_EXIT_MS);
      return { stopped };
    },
  };
}

/**
 * Looks whether the servers that the environment names can be used, before anything is made or started.
 *
 * @throws BadInput
 */
export async function requireNamedServers(
  { databaseUrl, temporal }: Config,
  need: Need,
): Promise<void> {
  if (databaseUrl !== undefined) await checkDatabase(databaseUrl, { isNamed: true });
  if (temporal === undefined || need === 'database') return;
  // Loaded when needed: it takes long.
  const { checkTemporal } = await import('./temporal-service.ts');
  await checkTemporal(temporal);
}

/** For all the waiting for supervisors that come and go; starting servers takes as long as it takes. */
const JOINING_LIMIT_MS = 180_000;
const ASK_AGAIN_MS = 50;
const SUPERVISOR_EXIT_MS = 10_000;

async function untilJoined(order: ServersOrder, config: Config, folder: DataFolder): Promise<Call> {
  const request = joinRequest(order, config);
  let temporalCli = await cliIfWanted(order, config, folder);
  const deadline = performance.now() + JOINING_LIMIT_MS;
  const ensureSupervisor = supervisorSpawner(order, config, folder);
  let isTold = false;
  while (performance.now() < deadline) {
    const { supervisor, controlPort, controlKey } = readRecord(folder);
    if (supervisor !== undefined && controlPort !== undefined && isAlive(supervisor)) {
      // A Temporal that ran a moment ago may have stopped with its supervisor, and the next one needs to be told.
      temporalCli ??= await cliIfWanted(order, config, folder);
      const answer = await callSupervisor(
        controlPort,
        {
          ...request,
          key: controlKey ?? '',
          ...(temporalCli === undefined ? {} : { temporalCli }),
        },
        order.say,
      );
      if (answer.kind === 'joined') return answer.call;
      if (!isTold) order.say('waiting for the servers of an earlier run to stop');
      isTold = true;
    } else {
      await ensureSupervisor();
    }
    await sleep(ASK_AGAIN_MS);
  }
  throw new ServersUnreachable(`No supervisor answers for ${folder.path}: see ${folder.logs}`);
}

function joinRequest(
  { need, workers = 1 }: ServersOrder,
  config: Config,
): Omit<Join, 'key' | 'temporalCli'> {
  return {
    kind: 'join',
    need,
    workers,
    pid: process.pid,
    ports: wishedPorts(config, need),
    expects: {
      ...(config.databaseUrl === undefined ? {} : { databaseUrl: config.databaseUrl }),
      ...(config.temporal === undefined ? {} : { temporalAddress: config.temporal.address }),
    },
  };
}

/** Found here and not by the supervisor: a build takes minutes, and Ctrl-C must end it. */
async function cliIfWanted(
  { need, say }: ServersOrder,
  config: Config,
  folder: DataFolder,
): Promise<string | undefined> {
  const wantsOwnTemporal = need === 'everything' && config.temporal === undefined;
  if (!wantsOwnTemporal || isTemporalUp(folder)) return undefined;
  return findTemporalCli(say, config.surroundings);
}

/** A record may still name the Temporal of a supervisor that was killed. */
function isTemporalUp(folder: DataFolder): boolean {
  const { supervisor, temporal } = readRecord(folder);
  return (
    supervisor !== undefined && temporal !== undefined && isAlive(supervisor) && isAlive(temporal)
  );
}

/** Starts a supervisor, unless one holds the folder or ours is on its way; it outlives us where others need it. */
function supervisorSpawner(
  { workerEntry }: ServersOrder,
  { surroundings }: Config,
  folder: DataFolder,
): () => Promise<void> {
  let child: ChildProcess | undefined;
  return async () => {
    const exit = child?.exitCode ?? child?.signalCode ?? undefined;
    if (exit !== undefined && exit !== EXIT_LOCK_HELD && exit !== 0) {
      throw new ServersUnreachable(`The supervisor ended with ${exit}: ${lastLine(folder)}`);
    }
    const holder = await holderOf(folder.lockFile);
    if (holder !== undefined && isAlive(holder)) return;
    if (child !== undefined && exit === undefined) return;
    child = spawnSupervisor(folder, surroundings.environment, workerEntry);
  };
}

function spawnSupervisor(
  folder: DataFolder,
  environment: Environment,
  workerEntry: string | undefined,
): ChildProcess {
  const log = openSync(outputFile(folder), 'w');
  const entry = workerEntry === undefined ? [] : ['--worker-entry', workerEntry];
  try {
    const child = spawn(
      process.execPath,
      [...scriptArguments('supervisor'), '--data', folder.path, ...entry],
      { detached: true, env: { ...environment }, stdio: ['ignore', log, log] },
    );
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** What a supervisor prints before it has a log, and after. */
function outputFile(folder: DataFolder): string {
  return join(folder.logs, 'supervisor-output.log');
}

function lastLine(folder: DataFolder): string {
  const lines = readFileSync(outputFile(folder), 'utf8').trim().split('\n');
  return lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '';
}

function targetOf({ temporal }: Addresses, config: Config): TemporalTarget | undefined {
  if (temporal === undefined) return undefined;
  const { address } = temporal;
  return { ...temporal, connection: config.temporal?.connection ?? { address } };
}
