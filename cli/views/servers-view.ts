import type { ServerDescription, ServersDescription } from '../../workers/supervisor-protocol.ts';
import { hint } from '../hints.ts';
import { instant } from './quantities.ts';

/** Who runs which servers for a data folder, for people; `undefined` where none run. */
export function serversLines(
  servers: ServersDescription | undefined,
  data: string,
): readonly string[] {
  if (servers === undefined) return ['servers    none run'];
  const { supervisor, since, postgres, temporal, uiUrl, workers } = servers;
  const rows: readonly (readonly [string, string])[] = [
    ['servers', `pid ${supervisor}, since ${instant(new Date(since))}`],
    ['', usedBy(servers, data)],
    ...(postgres === undefined ? [] : [['Postgres', placeOf(postgres)] as const]),
    ...(temporal === undefined ? [] : [['Temporal', placeOf(temporal)] as const]),
    ...(uiUrl === undefined ? [] : [['UI', uiUrl] as const]),
    ['workers', workers.length === 0 ? 'none' : pids(workers)],
  ];
  return rows.map(([label, said]) => `${label.padEnd(10)} ${said}`);
}

/** The same as one JSON object on one line. */
export function serversJson(servers: ServersDescription | undefined): string {
  return JSON.stringify({ kind: 'servers', running: servers !== undefined, ...servers });
}

function usedBy({ clients, detached }: ServersDescription, data: string): string {
  const users = clients.length === 0 ? 'no command' : `the command of ${pids(clients)}`;
  const end = detached
    ? `stay until: ${hint(['stop', '--servers'], data)}`
    : 'end with the last command that uses them';
  return `used by ${users}; ${end}`;
}

function placeOf(server: ServerDescription): string {
  switch (server.kind) {
    case 'external':
      return `at ${server.address}, not ours`;
    case 'embedded':
      return `${server.pid === undefined ? 'being started again' : `pid ${server.pid}`}, port ${server.port}`;
  }
}

function pids(of: readonly number[]): string {
  return `${of.length === 1 ? 'pid' : 'pids'} ${of.join(', ')}`;
}
