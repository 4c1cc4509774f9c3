import { randomInt } from 'node:crypto';
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
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = await tryPort(OWN_PORTS.from + randomInt(OWN_PORTS.count));
    if (port !== undefined) return port;
  }
  throw new Error('No free port on 127.0.0.1');
}

/** Whether a loopback port can be listened on. */
export async function isFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== undefined;
}

/**
 * Below the ports that systems hand out by themselves (from 32,768 on Linux): nothing that asks for any port gets ours
 * between our look and our server's start. Our choice.
 */
const OWN_PORTS = { from: 20_000, count: 12_000 };
const TRIES = 100;

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
