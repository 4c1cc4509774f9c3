import type { Config } from './config.ts';
import type { RememberedPorts } from './data-folder.ts';
import { portHolder } from './port-holder.ts';
import { isFree } from './ports.ts';
import { BadInput } from './server-errors.ts';
import type { Need } from './supervisor-protocol.ts';

/** Of the ports that the settings wish for, those of servers that are ours to start and needed. */
export function wishedPorts({ ports, databaseUrl, temporal }: Config, need: Need): RememberedPorts {
  const isOurs: Readonly<Record<keyof RememberedPorts, boolean>> = {
    postgres: databaseUrl === undefined,
    temporal: need === 'everything' && temporal === undefined,
    temporalUi: need === 'everything' && temporal === undefined,
  };
  const wished = Object.entries(ports) as [keyof RememberedPorts, number | undefined][];
  return Object.fromEntries(wished.filter(([name, port]) => port !== undefined && isOurs[name]));
}

/**
 * Refuses wished ports that cannot be had.
 *
 * @throws BadInput naming the port, who holds it where that can be told, and the remedy.
 */
export async function requireFreePorts(wished: RememberedPorts): Promise<void> {
  const ports = new Map<number, string>();
  for (const [name, port] of Object.entries(wished) as [keyof RememberedPorts, number][]) {
    const rival = ports.get(port);
    if (rival !== undefined) {
      throw new BadInput(
        `Port ${port} is wished for ${rival} and for ${NAMES[name]}: give each its own (${VARIABLES[name]})`,
      );
    }
    ports.set(port, NAMES[name]);
    if (await isFree(port)) continue;
    const holder = portHolder(port);
    throw new BadInput(
      `Port ${port}, wished for ${NAMES[name]}, is taken${holder === undefined ? '' : ` by ${holder}`}: free it, or wish for another (${VARIABLES[name]})`,
    );
  }
}

/**
 * Refuses wishes that servers already running don't meet.
 *
 * @throws BadInput
 */
export function requireSamePorts(wished: RememberedPorts, taken: RememberedPorts): void {
  for (const [name, port] of Object.entries(wished) as [keyof RememberedPorts, number][]) {
    const now = taken[name];
    if (now === undefined || now === port) continue;
    throw new BadInput(
      `${NAMES[name]} of this data folder runs on port ${now} already, not on ${port}: end it first with "decorum stop --servers", or drop the wish (${VARIABLES[name]})`,
    );
  }
}

const NAMES: Readonly<Record<keyof RememberedPorts, string>> = {
  postgres: 'Postgres',
  temporal: 'Temporal',
  temporalUi: 'the Temporal UI',
};

const VARIABLES: Readonly<Record<keyof RememberedPorts, string>> = {
  postgres: 'DECORUM_POSTGRES_PORT',
  temporal: 'DECORUM_TEMPORAL_PORT',
  temporalUi: 'DECORUM_TEMPORAL_UI_PORT',
};
