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

/** Why a client lost its servers: the supervisor was killed, or another command or a signal ended them in order. */
export type Loss = 'killed' | 'ended';

/** A client's open line to its supervisor; as long as it is open the servers stay. */
export interface Call {
  readonly addresses: Addresses;
  /** As last heard. */
  readonly pids: () => OwnPids;
  /** Resolves if the servers go before we left. */
  readonly lost: Promise<Loss>;
  /** Asks for the servers to stay when the last client has left. */
  readonly detach: () => void;
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
        case 'ending':
          lines.ending();
          reject(new ServersUnreachable('The servers were ended while they were being started'));
          return;
        case 'left':
          lines.left(answer.stopped);
          return;
        case 'described':
          return;
      }
    });
  });
}

interface LineEvents {
  readonly left: (stopped: boolean) => void;
  readonly ending: () => void;
  readonly whenEnding: Promise<void>;
  readonly whenLeft: Promise<boolean>;
  readonly whenClosed: Promise<void>;
}

function lineEvents(socket: Socket): LineEvents {
  const { promise: whenLeft, resolve: left } = withResolvers<boolean>();
  const { promise: whenEnding, resolve: end } = withResolvers<undefined>();
  const whenClosed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  const ending = (): void => {
    end(undefined);
  };
  return { left, ending, whenEnding, whenLeft, whenClosed };
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
  const lost = withResolvers<Loss>();
  void lines.whenEnding.then(() => {
    lost.resolve('ended');
  });
  void lines.whenClosed.then(() => {
    if (leaving === undefined) lost.resolve('killed');
  });
  return {
    addresses,
    pids,
    lost: lost.promise,
    detach: () => {
      send(socket, { kind: 'detach' });
    },
    leave: () => (leaving ??= leave()),
  };
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
