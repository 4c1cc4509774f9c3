import { connectDatabase } from '../../db/pool.ts';
import { readSchema, type SchemaState } from '../../db/migrate.ts';
import { readServerFacts, readWantedRoom, type ServerFacts } from '../../db/server-facts.ts';
import { formatDuration } from '../../domain/duration.ts';
import { fault, ok, reasonOf, warning, type Finding } from './finding.ts';
import { isAtLeast } from './installation.ts';

/** A Postgres that should answer. */
export interface PostgresTarget {
  readonly databaseUrl: string;
  /** Whether the environment names it; else it is our own, and runs. */
  readonly isNamed: boolean;
}

/** What a database has shown. */
export interface ExaminedPostgres {
  readonly findings: readonly Finding[];
  /** What its most demanding crawl wants free on the disk; `null` where nobody says. */
  readonly wantedRoomBytes: number | null;
}

/** Whether it answers, in a supported version, by a clock near ours, and with which schema. Writes nothing. */
export async function examinePostgres(target: PostgresTarget): Promise<ExaminedPostgres> {
  const { host, pathname } = new URL(target.databaseUrl);
  const db = connectDatabase(target.databaseUrl, { max: 1, applicationName: 'decorum doctor' });
  try {
    const facts = await readServerFacts(db);
    const heardAtMs = Date.now();
    const schema = await readSchema(target.databaseUrl);
    const findings = [
      versionFinding(facts.version, `${host}${pathname}`),
      clockFinding(skewOf(facts, heardAtMs), facts.heardWithinMs),
      schemaFinding(schema),
    ];
    const isFilled = schema.applied.length > 0;
    return { findings, wantedRoomBytes: isFilled ? await readWantedRoom(db) : null };
  } catch (error) {
    const remedy = target.isNamed
      ? 'start it, or correct DATABASE_URL (or PGHOST and so on)'
      : 'see logs/postgres.log in the data folder';
    const finding = fault('Postgres', `${host}${pathname}: ${reasonOf(error)}`, remedy);
    return { findings: [finding], wantedRoomBytes: null };
  } finally {
    await db.end();
  }
}

/** The oldest release that its makers still keep, as of this version of Decorum. */
const OLDEST_POSTGRES = '14';

/** Whether a version such as `18.4` is supported. */
export function versionFinding(version: string, where: string): Finding {
  const found = `${version} at ${where}`;
  return isAtLeast(version, OLDEST_POSTGRES)
    ? ok('Postgres', found)
    : fault('Postgres', found, `use Postgres ${OLDEST_POSTGRES} or newer`);
}

/** How far the database's clock is ahead of ours, in milliseconds; the answer may have taken a part of that. */
function skewOf({ now, heardWithinMs }: ServerFacts, heardAtMs: number): number {
  return now.getTime() - (heardAtMs - heardWithinMs / 2);
}

/** Waits are counted by Postgres alone: only times shown to people, and in WARC files, come from here. Our choice. */
const SKEW_LIMIT_MS = 5_000;

/** Whether the two clocks agree. */
export function clockFinding(skewMs: number, doubtMs: number): Finding {
  if (Math.abs(skewMs) <= SKEW_LIMIT_MS + doubtMs) {
    return ok('clock', "the database's and this machine's agree");
  }
  const found = `the database's clock is ${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's`;
  return warning('clock', found, 'have both machines keep their time by NTP');
}

/** Whether the schema is this version's. */
export function schemaFinding({ applied, pending, unknown }: SchemaState): Finding {
  if (unknown.length > 0) {
    return fault('schema', `newer than this Decorum: ${unknown.join(', ')}`, 'use a newer Decorum');
  }
  if (applied.length === 0) return ok('schema', 'an empty database: the first command fills it');
  if (pending.length === 0) return ok('schema', `up to date (${applied.at(-1) ?? ''})`);
  return warning(
    'schema',
    `older than this Decorum: ${pending.join(', ')} will be applied by the next command`,
    'back the database up first, if an older Decorum is to use it again',
  );
}
