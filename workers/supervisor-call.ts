import { connect, type Socket } from 'node:net';
import { BadInput, ServersUnreachable } from './server-errors.ts';
import {
  hearAnswers,
  send,
  type Addresses,
  type Answer,
  type Join,
  type OwnPids,
} from './supervisor-protocol.ts';

/** A client's open line to its supervisor; as long as it is open the servers stay. */
export interface Call {
  readonly addresses: Addresses;
  /** As last heard. */
  readonly pids: () => OwnPids;
  /** Resolves if the line breaks before we left. */
  readonly lost: Promise<void>;
  /** Says whether everything was stopped, as nobody else was there. */
  readonly leave: () => Promise<boolean>;
}

/** How a call began; `busy` where the supervisor is on its way out or was not there. */
export type CallAnswer =
  { readonly kind: 'joined'; readonly call: Call } | { readonly kind: 'busy' };

/**
 * Calls the supervisor and joins. Its lines go to `say` until we have left.
 *
 * @throws what the supervisor's refusal says: BadInput or ServersUnreachable.
 */
export function callSupervisor(
  port: number,
  request: Join,
  say: (line: string) => void,
): Promise<CallAnswer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let pids: OwnPids = { supervisor: 0, workers: [] };
  const lines = lineEvents(socket);

  return new Promise((resolve, reject) => {
    socket.once('connect', () => {
      send(socket, request);
    });
    socket.once('close', () => {
      resolve({ kind: 'busy' });
    });
    hearAnswers(socket, (answer) => {
      switch (answer.kind) {
        case 'said':
          say(answer.line);
          return;
        case 'pids':
          pids = answer.pids;
          return;
        case 'ready':
          resolve({ kind: 'joined', call: callOver(socket, lines, answer.addresses, () => pids) });
          return;
        case 'refused':
          reject(errorOf(answer));
          socket.destroy();
          return;
        case 'stopping':
          socket.destroy();
          return;
        case 'left':
          lines.left(answer.stopped);
          return;
      }
    });
  });
}

interface LineEvents {
  readonly left: (stopped: boolean) => void;
  readonly whenLeft: Promise<boolean>;
  readonly whenClosed: Promise<void>;
}

function lineEvents(socket: Socket): LineEvents {
  const { promise: whenLeft, resolve: left } = withResolvers<boolean>();
  const whenClosed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  return { left, whenLeft, whenClosed };
}

function callOver(
  socket: Socket,
  lines: LineEvents,
  addresses: Addresses,
  pids: () => OwnPids,
): Call {
  let leaving: Promise<boolean> | undefined;
  const leave = async (): Promise<boolean> => {
    send(socket, { kind: 'leave' });
    // A supervisor that is killed while stopping says nothing any more.
    const stopped = await Promise.race([lines.whenLeft, lines.whenClosed.then(() => true)]);
    socket.destroy();
    return stopped;
  };
  const lost = withResolvers<undefined>();
  void lines.whenClosed.then(() => {
    if (leaving === undefined) lost.resolve(undefined);
  });
  return { addresses, pids, lost: lost.promise, leave: () => (leaving ??= leave()) };
}

function errorOf({ name, message }: Extract<Answer, { kind: 'refused' }>): Error {
  return name === 'BadInput' ? new BadInput(message) : new ServersUnreachable(message);
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
