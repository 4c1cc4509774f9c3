import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findTemporalCli } from '../../workers/temporal-cli.ts';
import { startTemporalServer, type OwnTemporal } from '../../workers/temporal-server.ts';

/** What the run's starter answers to a test. */
export interface RunTemporal {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
}

/** Answers any request with the run's Temporal server, which the first request starts. */
export async function serveTemporal(
  folder: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  let starting: Promise<OwnTemporal> | undefined;
  const server = createServer((_request, response) => {
    starting ??= start(folder);
    starting.then(
      ({ address, namespace, uiUrl }: RunTemporal) => {
        response.end(JSON.stringify({ address, namespace, uiUrl }));
      },
      (error: unknown) => {
        response.writeHead(500).end(String(error));
      },
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await starting?.then((temporal) => temporal.stop()).catch(() => undefined);
    },
  };
}

async function start(folder: string): Promise<OwnTemporal> {
  const cli = await findTemporalCli((line) => process.stderr.write(`${line}\n`));
  return startTemporalServer({
    cli,
    databaseFile: temporalFileIn(folder),
    logFile: join(folder, 'temporal.log'),
  });
}

/** The run's workflows. */
export function temporalFileIn(folder: string): string {
  return join(folder, 'temporal.sqlite');
}
