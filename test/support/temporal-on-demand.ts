import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers any request with the address of the run's Temporal server, which the first request starts. */
export async function serveTemporal(
  _folder: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((_request, response) => {
    response.writeHead(501).end('no Temporal yet');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}
