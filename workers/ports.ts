import { createServer } from 'node:net';

/** Which port a server is to have. */
export interface PortWish {
  /** The port of the last time. */
  readonly wanted?: number | undefined;
  /** Whether only that one serves, as others hold its address already. */
  readonly only?: boolean;
}

/**
 * The wanted loopback port where it is free, else any free one.
 *
 * @throws where only the wanted one would serve and it is taken.
 */
export async function freePort({ wanted, only = false }: PortWish): Promise<number> {
  if (wanted !== undefined && (await tryPort(wanted)) !== undefined) return wanted;
  if (wanted !== undefined && only) throw new Error(`Port ${wanted} is taken by another program`);
  const port = await tryPort(0);
  if (port === undefined) throw new Error('No free port on 127.0.0.1');
  return port;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : undefined);
      });
    });
  });
}
