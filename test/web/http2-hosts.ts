import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants, createSecureServer } from 'node:http2';
import type { Http2SecureServer, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import type { Server } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { RequestUrl } from '../../domain/request-url.ts';
import { packageRoot } from '../../workers/package-root.ts';
import type { FetchRequest, FetchResult } from '../../web/fetch-url.ts';
import { fetchFrom, requestUrl } from './loopback.ts';

const FIXTURES = join(packageRoot(), 'test', 'fixtures', 'tls');
const IDENTITY = {
  key: readFileSync(join(FIXTURES, 'host.key')),
  cert: readFileSync(join(FIXTURES, 'self-signed.pem')),
};

/** A host on loopback that chooses HTTP/2. */
export interface Http2Host {
  readonly url: RequestUrl;
  readonly sockets: ReadonlySet<Socket>;
  /** Connections since the start. */
  readonly connections: () => number;
}

/** Starts a host that answers as `node:http2` does; it ends with the test. */
export async function http2Host(
  answer: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Promise<Http2Host> {
  const server = createSecureServer(IDENTITY);
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => undefined);
    answer(stream, headers);
  });
  server.on('sessionError', () => undefined);
  return listening(server);
}

/** Starts a host that chooses HTTP/2 where it can, knows HTTP/1.1 too, and says which. */
export async function bilingualHost(
  { insistsOn }: { readonly insistsOn?: 'HTTP/1.1' } = {},
  asked: string[] = [],
): Promise<Http2Host> {
  const server = createSecureServer({ ...IDENTITY, allowHTTP1: true }, (request, response) => {
    asked.push(`${request.httpVersion} ${request.url}`);
    if ('stream' in response && insistsOn === 'HTTP/1.1') {
      response.stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED);
      return;
    }
    response.setHeader('content-type', 'text/plain');
    response.end(`by ${request.httpVersion}`);
  });
  server.on('sessionError', () => undefined);
  return listening(server);
}

/** Starts a host that chooses HTTP/2 and then says what a test wants, once it has been spoken to. */
export async function frameHost(
  answer: readonly Buffer[] | ((socket: Socket) => void),
): Promise<Http2Host> {
  const server = createServer({ ...IDENTITY, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (typeof answer === 'function') answer(socket);
      else socket.write(Buffer.concat(answer));
    });
    socket.on('data', () => undefined);
  });
  return listening(server);
}

/** Fetches where HTTP/2 is offered; the hosts' certificates are not looked at. */
export function fetchOverHttp2(
  host: Http2Host,
  changes: Partial<FetchRequest> = {},
): Promise<FetchResult> {
  return fetchFrom(host, { lenientTls: true, http2Except: new Set(), ...changes });
}

async function listening(server: Http2SecureServer | Server): Promise<Http2Host> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: requestUrl(`https://127.0.0.1:${port}/`),
    sockets,
    connections: () => connections,
  };
}
