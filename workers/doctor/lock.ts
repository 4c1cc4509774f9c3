import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import type { DataFolder, ServersRecord } from '../data-folder.ts';
import { holderOf } from '../file-lock.ts';
import { identify, isAlive } from '../processes.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

const NAME = 'lock';
const TAKEN_OVER = 'nothing to do: the next command takes the folder over';

/** Who owns the data folder: a living supervisor, nobody, or one that was killed. */
export async function lockFinding(
  { lockFile }: DataFolder,
  { supervisor, controlPort }: ServersRecord,
): Promise<Finding> {
  if (!existsSync(lockFile)) return ok(NAME, 'nothing runs on the folder');
  const holder = await holderOf(lockFile);
  if (holder === undefined) {
    return warning(NAME, `${lockFile} does not say who made it`, TAKEN_OVER);
  }
  const { pid } = holder;
  if (!isAlive(holder)) {
    return identify(pid) === undefined
      ? warning(NAME, `left by supervisor ${pid}, which was killed`, TAKEN_OVER)
      : warning(
          NAME,
          `left by supervisor ${pid}, which was killed; process ${pid} is another program by now`,
          TAKEN_OVER,
        );
  }
  // A supervisor takes the lock a moment before it writes where it can be reached.
  if (supervisor?.pid !== pid || controlPort === undefined || (await answers(controlPort))) {
    return ok(NAME, `supervisor ${pid} runs`);
  }
  return fault(
    NAME,
    `supervisor ${pid} lives, but does not answer on port ${controlPort}`,
    `end it (kill ${pid}), then go on with "decorum resume"`,
  );
}

const ANSWER_LIMIT_MS = 3_000;

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: ANSWER_LIMIT_MS });
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => {
      end(true);
    });
    for (const event of ['error', 'timeout'] as const) {
      socket.once(event, () => {
        end(false);
      });
    }
  });
}
