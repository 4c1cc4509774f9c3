import { createServer, type AddressInfo, type Socket } from 'node:net';
import {
  hearRequests,
  send,
  type Addresses,
  type Answer,
  type Join,
  type Request,
} from './supervisor-protocol.ts';

/** What the desk asks of the supervisor behind it. */
export interface DeskOwner {
  /** Only who knows the key is heard. */
  readonly key: string;
  /** Starts what a client needs; what it throws is told to the client. */
  readonly serve: (join: Join) => Promise<Addresses>;
  /** What a client hears first, and whenever it changes. */
  readonly greeting: () => Answer;
  /** What who asks hears of the servers and of those who are here. */
  readonly describe: (here: Attendance) => Answer;
  /** Called when the last client has left, unless the servers are to stay. */
  readonly lastLeft: () => void;
  /** Called when somebody wants the end, whoever else is here. */
  readonly end: () => void;
}

/** Who is at the desk. */
export interface Attendance {
  /** The pids of the clients. */
  readonly clients: readonly number[];
  /** Whether the servers stay when the last client has left. */
  readonly detached: boolean;
}

/** Where clients of the supervisor come and go. */
export interface ClientDesk {
  /** On loopback. */
  readonly port: number;
  readonly tellAll: (answer: Answer) => void;
  /** Whether nobody is here, and nobody asked for the servers to stay. */
  readonly isIdle: () => boolean;
  /** Tells the clients of the end; from now on whoever comes is told to wait for this supervisor's end. */
  readonly turnAway: () => void;
  /** Tells those who left last, or wanted the end, that everything has stopped. */
  readonly farewell: () => void;
}

/** Opens the desk. A client is here from its join until it leaves, or its connection closes (also by a kill). */
export async function openDesk(owner: DeskOwner): Promise<ClientDesk> {
  const clients = new Map<Socket, number>();
  const leavers = new Set<Socket>();
  let detached = false;
  let turningAway = false;
  const isIdle = (): boolean => clients.size === 0 && !detached;
  const tellAll = (answer: Answer): void => {
    for (const client of clients.keys()) send(client, answer);
  };

  const part = (client: Socket): void => {
    if (clients.delete(client) && isIdle()) owner.lastLeft();
  };
  const leave = (client: Socket): void => {
    const wasHere = clients.has(client);
    leavers.add(client);
    part(client);
    if (!wasHere || !turningAway) send(client, { kind: 'left', stopped: false });
  };
  const join = async (client: Socket, request: Join): Promise<void> => {
    if (turningAway) {
      send(client, { kind: 'stopping' });
      return;
    }
    clients.set(client, request.pid);
    send(client, await answerTo(request, owner));
    send(client, owner.greeting());
  };
  const hear = (client: Socket, request: Request): void => {
    if ('key' in request && request.key !== owner.key) {
      client.destroy();
      return;
    }
    switch (request.kind) {
      case 'join':
        void join(client, request);
        return;
      case 'detach':
        detached ||= clients.has(client);
        return;
      case 'leave':
        leave(client);
        return;
      case 'describe':
        send(client, owner.describe({ clients: [...clients.values()], detached }));
        return;
      case 'end':
        leavers.add(client);
        owner.end();
        return;
    }
  };

  const server = createServer((client) => {
    hearRequests(client, (request) => {
      hear(client, request);
    });
    client.on('close', () => {
      leavers.delete(client);
      part(client);
    });
  });
  return {
    port: await listenOnLoopback(server),
    isIdle,
    tellAll,
    turnAway: () => {
      turningAway = true;
      tellAll({ kind: 'ending' });
    },
    farewell: () => {
      for (const leaver of leavers) send(leaver, { kind: 'left', stopped: true });
    },
  };
}

async function answerTo(request: Join, owner: DeskOwner): Promise<Answer> {
  try {
    return { kind: 'ready', addresses: await owner.serve(request) };
  } catch (error) {
    if (!(error instanceof Error))
      return { kind: 'refused', name: 'Error', message: String(error) };
    return { kind: 'refused', name: error.name, message: error.message };
  }
}

function listenOnLoopback(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}
