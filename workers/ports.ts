import { createServer } from 'node:net';

/** The wanted loopback port where it is free, else any free one. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && wanted > 0 && (await tryPort(wanted)) !== undefined) return wanted;
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
