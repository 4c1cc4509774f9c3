import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { z } from 'zod';
import type { RememberedPorts } from './data-folder.ts';
import { BadInput } from './server-errors.ts';

/** What the environment says. Only this file reads it. */
export interface Config {
  /** From `DATABASE_URL`, else built from `PG*`; `undefined` where Postgres is to be embedded. */
  readonly databaseUrl: string | undefined;
  /** By Temporal's own conventions; `undefined` where Temporal is to be embedded. */
  readonly temporal: TemporalTarget | undefined;
  /** Where embedded servers are to listen, such as `DECORUM_POSTGRES_PORT`; absent ones are chosen. */
  readonly ports: RememberedPorts;
  /** Of Decorum's own log. */
  readonly logLevel: LogLevel;
  /** What a worker process is told by its supervisor; elsewhere the defaults. */
  readonly worker: WorkerConfig;
  readonly surroundings: Surroundings;
}

/** A Temporal service and how to connect to it. */
export interface TemporalTarget {
  readonly address: string;
  readonly namespace: string;
  /** TLS, API key and headers, as the SDK's clients and workers take them. */
  readonly connection: ClientConnectConfig['connectionOptions'];
}

/** What one worker process needs to know beyond its servers. */
export interface WorkerConfig {
  /** `DECORUM_WORKER_SLOT`: which of the supervisor's workers this is, from 0. */
  readonly slot: number;
  /** `DECORUM_WARC_DIR`: where WARC files go. */
  readonly warcDir: string;
  /**
   * `DECORUM_VISITS_AT_ONCE`: hosts that one worker process serves at the same time, 1,000 by default: above the
   * default cap of live hosts, since a live host's visit holds a slot.
   */
  readonly visitsAtOnce: number;
  /** `DECORUM_WORKFLOW_STACKS`: whether workflows keep stack traces, for the UI's call stack; they cost time. */
  readonly workflowStacks: boolean;
}

/** How to find and run other programs. */
export interface Surroundings {
  /** Handed to child processes. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `PATH`, in its order. */
  readonly path: string;
  /** `TEMPORAL_CLI`: the program to use, whatever else is there. */
  readonly temporalCli: string | undefined;
  /** Where programs are kept between runs, outside any repository (`XDG_CACHE_HOME`). */
  readonly cacheFolder: string;
}

/** Pino's names of levels. */
export type LogLevel = z.infer<typeof logLevel>;

/** The environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment.
 *
 * @throws BadInput naming every value that is wrong, at once.
 */
export function loadConfig(environment: Environment = process.env): Config {
  const parsed = schema.safeParse(withoutEmpty(environment));
  const faults = parsed.success
    ? []
    : parsed.error.issues.map((issue) => faultOf(issue, environment));
  const temporal = readTemporal(environment);
  if (temporal.fault !== undefined) faults.push(temporal.fault);
  if (!parsed.success || faults.length > 0) {
    throw new BadInput(`The environment is wrong: ${faults.join('; ')}`);
  }
  const read = parsed.data;
  return {
    databaseUrl: read.DATABASE_URL ?? urlFromParts(read),
    temporal: temporal.target,
    ports: portsOf(read),
    logLevel: read.DECORUM_LOG_LEVEL,
    worker: {
      slot: read.DECORUM_WORKER_SLOT,
      warcDir: read.DECORUM_WARC_DIR,
      visitsAtOnce: read.DECORUM_VISITS_AT_ONCE,
      workflowStacks: read.DECORUM_WORKFLOW_STACKS === '1',
    },
    surroundings: {
      environment,
      path: read.PATH,
      temporalCli: read.TEMPORAL_CLI,
      cacheFolder: join(read.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'decorum'),
    },
  };
}

/**
 * Reads the environment with some of its variables set otherwise, as a configuration file does.
 *
 * @throws BadInput naming every value that is wrong, at once.
 */
export function loadConfigWith(overrides: Environment = {}): Config {
  return loadConfig({ ...process.env, ...overrides });
}

const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

const port = z.coerce.number().int().min(1).max(65_535).optional();

const schema = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  PGHOST: z.string().optional(),
  PGPORT: port,
  PGUSER: z.string().optional(),
  PGPASSWORD: z.string().optional(),
  PGDATABASE: z.string().optional(),
  PGSSLMODE: z.string().optional(),
  TEMPORAL_CLI: z.string().optional(),
  DECORUM_POSTGRES_PORT: port,
  DECORUM_TEMPORAL_PORT: port,
  DECORUM_TEMPORAL_UI_PORT: port,
  DECORUM_LOG_LEVEL: logLevel.default('info'),
  DECORUM_WORKER_SLOT: z.coerce.number().int().min(0).default(0),
  DECORUM_WORKFLOW_STACKS: z.enum(['0', '1']).default('0'),
  DECORUM_VISITS_AT_ONCE: z.coerce.number().int().min(1).max(100_000).default(1_000),
  DECORUM_WARC_DIR: z.string().default(join('.decorum', 'warc')),
  PATH: z.string().default(''),
  XDG_CACHE_HOME: z.string().optional(),
});

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

function faultOf(issue: z.core.$ZodIssue, environment: Environment): string {
  const name = String(issue.path[0]);
  // Messages end up in logs: a password in a URL stays out of them.
  const value = (environment[name] ?? '').replace(/:[^:@/]*@/, ':…@');
  return `${name} is "${value}" (${issue.message})`;
}

function portsOf(read: z.infer<typeof schema>): RememberedPorts {
  const ports = {
    postgres: read.DECORUM_POSTGRES_PORT,
    temporal: read.DECORUM_TEMPORAL_PORT,
    temporalUi: read.DECORUM_TEMPORAL_UI_PORT,
  };
  return Object.fromEntries(Object.entries(ports).filter(([, wished]) => wished !== undefined));
}

type PostgresParts = Pick<
  z.infer<typeof schema>,
  'PGHOST' | 'PGPORT' | 'PGUSER' | 'PGPASSWORD' | 'PGDATABASE' | 'PGSSLMODE'
>;

/** libpq's variables as one URL; a host or a database must be named, a lone user or password asks for nothing. */
function urlFromParts(parts: PostgresParts): string | undefined {
  if (parts.PGHOST === undefined && parts.PGDATABASE === undefined) return undefined;
  const user = parts.PGUSER ?? 'postgres';
  const url = new URL(`postgres://localhost:${parts.PGPORT ?? 5432}`);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(parts.PGPASSWORD ?? '');
  url.pathname = `/${encodeURIComponent(parts.PGDATABASE ?? user)}`;
  if (parts.PGHOST?.startsWith('/') === true) url.searchParams.set('host', parts.PGHOST);
  else if (parts.PGHOST !== undefined) url.hostname = parts.PGHOST;
  if (parts.PGSSLMODE !== undefined) url.searchParams.set('sslmode', parts.PGSSLMODE);
  return url.href;
}

function readTemporal(environment: Environment): { target?: TemporalTarget; fault?: string } {
  try {
    const overrideEnvVars = Object.fromEntries(
      Object.entries(withoutEmpty(environment)).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    const profile = loadClientConfigProfile({ overrideEnvVars });
    if (Object.keys(profile).length === 0) return {};
    const { connectionOptions, namespace = 'default' } = toClientOptions(profile);
    const address = connectionOptions.address ?? 'localhost:7233';
    return { target: { address, namespace, connection: { ...connectionOptions, address } } };
  } catch (error) {
    return { fault: `TEMPORAL_*: ${error instanceof Error ? error.message : String(error)}` };
  }
}
