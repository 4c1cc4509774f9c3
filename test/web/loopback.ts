import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { parseRequestUrl } from '../../domain/request-url.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import { fetchUrl } from '../../web/fetch-url.ts';
import type { FetchRequest, FetchResult } from '../../web/fetch-url.ts';

/** A host on loopback that says byte for byte what a test wants, and remembers who came. */
export interface RawHost {
  readonly url: RequestUrl;
  readonly port: number;
  /** The head of each request, in order. */
  readonly requests: readonly string[];
  readonly sockets: ReadonlySet<Socket>;
  /** Connections since the start. */
  readonly connections: () => number;
}

/** Starts a host that answers each request's head with `answer`; it ends with the test. */
export async function rawHost(
  answer: (socket: Socket, head: string) => void,
  { address = '127.0.0.1', path = '/' } = {},
): Promise<RawHost> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      requests.push(head);
      answer(socket, head);
      head = '';
    });
  });
  const port = await listen(server, address);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: requestUrl(`http://${address.includes(':') ? `[${address}]` : address}:${port}${path}`),
    port,
    requests,
    sockets,
    connections: () => connections,
  };
}

/** Starts a host that sends `bytes` and closes. */
export function cannedHost(...bytes: readonly (string | Buffer)[]): Promise<RawHost> {
  return rawHost((socket) => {
    socket.end(Buffer.concat(bytes.map((part) => Buffer.from(part))));
  });
}

/** A whole answer with a length. */
export function answerOf(body: string | Buffer, headers: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const head = ['HTTP/1.1 200 OK', `Content-Length: ${bytes.length}`, ...headers, '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes]);
}

/** Fetches with limits that no test comes near by accident. */
export function fetchFrom(
  host: { readonly url: RequestUrl },
  changes: Partial<FetchRequest> = {},
): Promise<FetchResult> {
  return fetchUrl({
    url: host.url,
    userAgent: 'DecorumTest/1.0 (+https://example.com/bot)',
    addresses: [],
    allowPrivate: true,
    connectTimeoutMs: 20_000,
    pageTimeoutMs: 30_000,
    maxBodyBytes: 5_000_000,
    signal: new AbortController().signal,
    ...changes,
  });
}

export function requestUrl(text: string): RequestUrl {
  const url = parseRequestUrl(text);
  if (url === undefined) throw new Error(`no request URL: "${text}"`);
  return url;
}

/** A port on which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, '127.0.0.1');
  server.close();
  await once(server, 'close');
  return port;
}

/** A port that meets each connection with `greeting` before it says a word; with silence where that is empty. */
export async function plainPort(greeting: string): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
    if (greeting !== '') socket.end(greeting);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server, '127.0.0.1');
}

/** Resolves once nobody is connected any more. */
export async function allClosed(host: Pick<RawHost, 'sockets'>): Promise<void> {
  while (host.sockets.size > 0) await delay(5);
}

async function listen(server: Server, address: string): Promise<number> {
  server.listen(0, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
