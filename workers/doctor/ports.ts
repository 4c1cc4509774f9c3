import type { Config } from '../config.ts';
import type { RememberedPorts, ServersRecord } from '../data-folder.ts';
import { portHolder } from '../port-holder.ts';
import { isFree } from '../ports.ts';
import { isAlive } from '../processes.ts';
import { wishedPorts } from '../wished-ports.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

const NAME = 'ports';

/** A port that a server of ours wants and another program has. */
export interface TakenPort {
  readonly server: keyof RememberedPorts;
  readonly port: number;
  /** `pid 812 (nginx)`, where that can be told. */
  readonly by: string | undefined;
  /** Wished for in the settings: then no other port serves. */
  readonly isWished: boolean;
}

/** Whether the embedded servers will get their ports. */
export function portsFinding(taken: readonly TakenPort[], wanted: RememberedPorts): Finding {
  const wishes = taken.filter(({ isWished }) => isWished);
  if (wishes.length > 0) {
    return fault(
      NAME,
      `wished for, and taken: ${namesOf(wishes)}`,
      'free them, or wish for others',
    );
  }
  if (taken.length > 0) {
    return warning(
      NAME,
      `of the last time, taken by now: ${namesOf(taken)}`,
      'nothing to do: others will be chosen, and the addresses change',
    );
  }
  const all = Object.entries(wanted).map(([server, port]) => `${server} ${String(port)}`);
  return ok(NAME, all.length === 0 ? 'chosen at the first start' : all.join(', '));
}

/** Ports wished for, else those of the last time. */
export function wantedPorts(config: Config, { ports }: ServersRecord): RememberedPorts {
  return { ...ports, ...wishedPorts(config, 'everything') };
}

/** Those that others have, of servers that do not run now. Each is listened on for a moment. */
export async function takenPorts(
  config: Config,
  record: ServersRecord,
): Promise<readonly TakenPort[]> {
  const wished = wishedPorts(config, 'everything');
  const taken: TakenPort[] = [];
  for (const [server, port] of Object.entries(wantedPorts(config, record)) as [
    keyof RememberedPorts,
    number,
  ][]) {
    if (isOurs(server, record) || (await isFree(port))) continue;
    taken.push({ server, port, by: portHolder(port), isWished: wished[server] !== undefined });
  }
  return taken;
}

function isOurs(server: keyof RememberedPorts, { postgres, temporal }: ServersRecord): boolean {
  const running = server === 'postgres' ? postgres : temporal;
  return running !== undefined && isAlive(running);
}

function namesOf(taken: readonly TakenPort[]): string {
  return taken
    .map(({ server, port, by }) => `${server} ${port}${by === undefined ? '' : ` by ${by}`}`)
    .join(', ');
}
