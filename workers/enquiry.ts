import { connect } from 'node:net';
import { dataFolderAt, readRecord, type DataFolder } from './data-folder.ts';
import { stopLeftovers } from './leftovers.ts';
import { hasEnded, isAlive, type ProcessId } from './processes.ts';
import { ServersUnreachable } from './server-errors.ts';
import { hearAnswers, send, type Answer, type ServersDescription } from './supervisor-protocol.ts';

/** What runs for a data folder. */
export interface FoundServers {
  readonly servers: ServersDescription;
  /** With its password; `undefined` before Postgres was asked for. */
  readonly databaseUrl: string | undefined;
}

/** Asks a data folder's supervisor what it runs; `undefined` where none answers. Starts and makes nothing. */
export async function findServers(dataDir: string): Promise<FoundServers | undefined> {
  const found = supervisorOf(dataFolderAt(dataDir));
  if (found === undefined) return undefined;
  const answer = await enquire(found, 'describe', ANSWER_LIMIT_MS);
  return answer?.kind === 'described'
    ? { servers: answer.servers, databaseUrl: answer.databaseUrl }
    : undefined;
}

/** What was there to end: a supervisor with all it runs, what a killed one had left, or nothing. */
export type EndedServers = 'supervisor' | 'leftovers' | 'nothing';

/**
 * Ends the servers and workers of a data folder, whoever uses them, and returns when they are down. Workers finish
 * their pages in flight first (25 s at most).
 *
 * @throws ServersUnreachable where they do not go.
 */
export async function endServers(dataDir: string): Promise<EndedServers> {
  const folder = dataFolderAt(dataDir);
  const found = supervisorOf(folder);
  if (found === undefined) return (await stopLeftovers(folder)) ? 'leftovers' : 'nothing';
  const answer = await enquire(found, 'end', ENDING_LIMIT_MS);
  if (!(await hasEnded(found.supervisor, SUPERVISOR_EXIT_MS))) {
    throw new ServersUnreachable(
      `The supervisor (pid ${found.supervisor.pid}) does not end: see ${folder.logs}`,
    );
  }
  // One that was killed over it, or a moment before, has left its servers behind.
  if (answer === undefined && (await stopLeftovers(folder))) return 'leftovers';
  return 'supervisor';
}

const ANSWER_LIMIT_MS = 5_000;
/** Workers, Temporal and Postgres, each by ever harsher signals. */
const ENDING_LIMIT_MS = 120_000;
const SUPERVISOR_EXIT_MS = 10_000;

interface Found {
  readonly supervisor: ProcessId;
  readonly port: number;
  readonly key: string;
}

function supervisorOf(folder: DataFolder): Found | undefined {
  const { supervisor, controlPort, controlKey } = readRecord(folder);
  if (supervisor === undefined || controlPort === undefined || !isAlive(supervisor)) {
    return undefined;
  }
  return { supervisor, port: controlPort, key: controlKey ?? '' };
}

/** The first answer; `undefined` where the line closes or the time is over before one. */
function enquire(
  { port, key }: Found,
  kind: 'describe' | 'end',
  limitMs: number,
): Promise<Answer | undefined> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  return new Promise((resolve) => {
    const tooLate = setTimeout(() => {
      resolve(undefined);
      socket.destroy();
    }, limitMs);
    socket.once('connect', () => {
      send(socket, { kind, key });
    });
    socket.once('close', () => {
      clearTimeout(tooLate);
      resolve(undefined);
    });
    hearAnswers(socket, (answer) => {
      resolve(answer);
      socket.destroy();
    });
  });
}
