import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { RememberedPorts } from './data-folder.ts';

/** How a supervisor ends that finds the folder's lock held. */
export const EXIT_LOCK_HELD = 3;

/** What a client needs to have running: Postgres alone, or Temporal and the workers too. */
export type Need = 'database' | 'everything';

/** To the supervisor: one JSON line each. */
export type Request =
  | Join
  /** From a client: the servers are to stay when the last one has left. */
  | { readonly kind: 'detach' }
  | { readonly kind: 'leave' }
  | Enquiry;

/** From one who does not join: what runs here, or that it is to end whoever is here. */
export interface Enquiry {
  readonly kind: 'describe' | 'end';
  readonly key: string;
}

/** A client's wish to join. */
export interface Join {
  readonly kind: 'join';
  /** From the record, which only the folder's owner can read. */
  readonly key: string;
  /** The client's own process. */
  readonly pid: number;
  readonly need: Need;
  readonly workers: number;
  /** For a Temporal server of our own, where none runs yet. */
  readonly temporalCli?: string;
  /** Ports that embedded servers must have. */
  readonly ports?: RememberedPorts;
  readonly expects: Expectation;
}

/** The servers that the client's own environment names; absent ones are embedded. */
export interface Expectation {
  readonly databaseUrl?: string;
  readonly temporalAddress?: string;
}

/** From the supervisor to a client: one JSON line each. */
export type Answer =
  | { readonly kind: 'said'; readonly line: string }
  | { readonly kind: 'ready'; readonly addresses: Addresses }
  | { readonly kind: 'pids'; readonly pids: OwnPids }
  | { readonly kind: 'refused'; readonly name: string; readonly message: string }
  /** The supervisor is on its way out: wait until it is gone, then start another. */
  | { readonly kind: 'stopping' }
  /** Another command or a signal ends the servers while the client is here. */
  | { readonly kind: 'ending' }
  | {
      readonly kind: 'described';
      readonly servers: ServersDescription;
      /** With its password; absent before Postgres was asked for. */
      readonly databaseUrl?: string;
    }
  /** The client has left; the servers stay for others, or have been stopped. */
  | { readonly kind: 'left'; readonly stopped: boolean };

/** Where the servers are. */
export interface Addresses {
  readonly databaseUrl: string;
  readonly temporal?: { readonly address: string; readonly namespace: string };
  readonly uiUrl?: string;
}

/** The pids of our own processes; only of those that run. */
export interface OwnPids {
  readonly supervisor: number;
  readonly postgres?: number;
  readonly temporal?: number;
  readonly workers: readonly number[];
}

/** Who runs what for a data folder. */
export interface ServersDescription {
  /** The pid of the process that owns the folder. */
  readonly supervisor: number;
  /** When it began, ISO 8601. */
  readonly since: string;
  /** Whether the servers stay when the last client has left. */
  readonly detached: boolean;
  /** The pids of the commands that are here. */
  readonly clients: readonly number[];
  /** Absent where nobody has asked for it yet. */
  readonly postgres?: ServerDescription;
  readonly temporal?: ServerDescription;
  /** The address of the web UI of an embedded Temporal. */
  readonly uiUrl?: string;
  readonly workers: readonly number[];
}

/** An embedded server, without a pid while it is started again, or one that the environment names. */
export type ServerDescription =
  | { readonly kind: 'embedded'; readonly pid?: number; readonly port: number }
  | { readonly kind: 'external'; readonly address: string };

/** Sends one message; a connection that is gone is no fault here, its `close` says so. */
export function send(socket: Socket, message: Request | Answer): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Hears each message of a client. */
export function hearRequests(socket: Socket, hear: (request: Request) => void): void {
  eachMessage(socket, (message) => {
    hear(message as Request);
  });
}

/** Hears each message of the supervisor. */
export function hearAnswers(socket: Socket, hear: (answer: Answer) => void): void {
  eachMessage(socket, (message) => {
    hear(message as Answer);
  });
}

function eachMessage(socket: Socket, hear: (message: unknown) => void): void {
  // A killed peer resets its connection: the socket's `close` says so, and readline passes the error on as its own.
  const lines = createInterface({ input: socket });
  for (const source of [socket, lines]) source.on('error', () => undefined);
  lines.on('line', (line) => {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    hear(message);
  });
}
