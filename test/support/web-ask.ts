import { request, type IncomingHttpHeaders } from 'node:http';

/** One answer as a client sees it. */
export interface ClientAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Where to connect, the web's own address by default, and what gives the request up. */
export interface HowToAsk {
  readonly address?: string;
  readonly signal?: AbortSignal;
}

/**
 * The plainest client: asks one URL of the test web on a connection of its own, keeps no gap and heeds no rule. An
 * answer that is broken, cut or never comes is thrown.
 */
export function ask(url: string, how: HowToAsk = {}): Promise<ClientAnswer> {
  const { address = '127.0.0.1', signal } = how;
  const { port, host, pathname, search } = new URL(url);
  const options = {
    host: address,
    port,
    path: pathname + search,
    headers: { host, 'user-agent': 'ask/1.0' },
    agent: false as const,
    ...(signal === undefined ? {} : { signal }),
  };

  return new Promise((resolve, reject) => {
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode = 0, headers } = incoming;
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
