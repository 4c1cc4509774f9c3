import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { AddressAllowance } from '../domain/address-rules.ts';
import { destinationOf } from '../domain/destination.ts';
import { attemptMs, dialOrder } from '../domain/dial-rules.ts';
import { FetchFailure } from './fetch-failure.ts';
import { tlsFault } from './tls-fault.ts';

/** Where one connection may go, and how long it may take to be made, TLS included (R26, R29). */
export interface ConnectionOrder extends AddressAllowance {
  readonly addresses: readonly string[];
  readonly connectTimeoutMs: number;
  /** Whether a certificate that can't be trusted is taken all the same. */
  readonly lenientTls?: boolean | undefined;
  /** Whether a TLS handshake offers HTTP/2 beside HTTP/1.1; no, by default. */
  readonly offersHttp2?: boolean | undefined;
}

/**
 * The one socket of a fetch. It only ever goes to the addresses it was given, judged by the address rules after DNS
 * and before the socket (R29), one at a time, so that a host never sees two connections (R8).
 */
export class Connection {
  readonly #order: ConnectionOrder;
  readonly #abandoned = new AbortController();
  #socket: Socket | undefined;
  #remoteAddress = '';

  constructor(order: ConnectionOrder) {
    this.#order = order;
  }

  /** The address that was connected to; empty before. */
  get remoteAddress(): string {
    return this.#remoteAddress;
  }

  /** Dials, once. @throws FetchFailure where no connection comes to stand. */
  async open({ protocol, hostname, port }: URL): Promise<Socket> {
    const deadlineMs = performance.now() + this.#order.connectTimeoutMs;
    const portNumber = Number(port || (protocol === 'https:' ? 443 : 80));
    const destination = destinationOf(portNumber, this.#order.addresses, this.#order);
    if (destination.kind === 'refused') {
      throw new FetchFailure(destination.reason, destination.detail);
    }
    const socket = await this.#dialFirst(dialOrder(destination.addresses), portNumber, deadlineMs);
    this.#remoteAddress = socket.remoteAddress ?? '';
    if (protocol !== 'https:') return socket;

    // Certificates name hosts without the root's dot, and so does SNI (RFC 6066 §3).
    const name = hostname.replace(/^\[|\]$|\.$/g, '');
    const secured = connectTls({
      socket,
      host: name,
      servername: isIP(name) === 0 ? name : '',
      ALPNProtocols: this.#order.offersHttp2 === true ? ['h2', 'http/1.1'] : ['http/1.1'],
      rejectUnauthorized: this.#order.lenientTls !== true,
    });
    return this.#established(secured, 'secureConnect', deadlineMs, 'tlsFailed');
  }

  /** Ends whatever stands or is being made, at once. */
  close(): void {
    this.#abandoned.abort();
    this.#socket?.destroy();
  }

  async #dialFirst(addresses: readonly string[], port: number, deadlineMs: number) {
    let firstError: unknown;
    for (const [index, address] of addresses.entries()) {
      const nowMs = performance.now();
      const limitMs = attemptMs(deadlineMs - nowMs, addresses.length - index);
      const socket = connectTcp({ host: address, port, noDelay: true });
      try {
        return await this.#established(socket, 'connect', nowMs + limitMs, 'connectFailed');
      } catch (error) {
        if (this.#abandoned.signal.aborted) throw error;
        firstError ??= error;
      }
    }
    throw firstError;
  }

  /** Settles once the socket says `event`, or destroys it: by an error, at the deadline, or when abandoned. */
  #established(
    socket: Socket,
    event: 'connect' | 'secureConnect',
    deadlineMs: number,
    reason: 'connectFailed' | 'tlsFailed',
  ): Promise<Socket> {
    this.#socket = socket;
    const { signal } = this.#abandoned;
    return new Promise((resolve, reject) => {
      const fail = (error: FetchFailure) => {
        socket.destroy();
        settle(() => {
          reject(error);
        });
      };
      const abandon = () => {
        fail(new FetchFailure(reason, 'abandoned'));
      };
      const timer = setTimeout(
        () => {
          fail(new FetchFailure('connectTimeout', 'no connection within the connect time-out'));
        },
        Math.max(0, deadlineMs - performance.now()),
      );
      const settle = (outcome: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
        outcome();
      };

      signal.addEventListener('abort', abandon, { once: true });
      // These listeners stay for the socket's life: an error between here and the exchange must find one.
      socket.on('error', (error) => {
        const detail = reason === 'tlsFailed' ? tlsFault(error) : error.message;
        fail(new FetchFailure(reason, detail, { cause: error }));
      });
      socket.once('close', () => {
        fail(new FetchFailure(reason, 'closed before the connection was made'));
      });
      socket.once(event, () => {
        settle(() => {
          resolve(socket);
        });
      });
      if (signal.aborted) abandon();
    });
  }
}

/** Whether the handshake of this socket chose HTTP/2. */
export function hasChosenHttp2(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
}
