import { readSchema } from '../../db/migrate.ts';
import { loadConfig, type Config } from '../config.ts';
import { homeThatIs } from '../postgres-home.ts';
import { runningDatabase } from './examine.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Where the rows are that a deep look compares. */
export type Place =
  | { readonly kind: 'running'; readonly databaseUrl: string }
  /** An embedded Postgres that has to be started for it. */
  | { readonly kind: 'stopped' }
  /** None that can be looked into; the finding says why. */
  | { readonly kind: 'nowhere'; readonly finding: Finding };

/** Finds the database of a data folder and an environment; starts nothing. */
export async function whereToLook(
  dataDir: string,
  readConfig: () => Config = loadConfig,
): Promise<Place> {
  try {
    const running = await runningDatabase(dataDir, readConfig());
    if (running !== undefined) return await readable(running.databaseUrl);
    if (homeThatIs(dataDir) !== undefined) return { kind: 'stopped' };
    return { kind: 'nowhere', finding: ok(NAME, 'no database yet: nothing to compare') };
  } catch {
    return nowhere('the database does not answer, or the settings are wrong');
  }
}

const NAME = 'rows';

async function readable(databaseUrl: string): Promise<Place> {
  const { applied, pending, unknown } = await readSchema(databaseUrl);
  if (applied.length === 0) return nowhere('the database is empty');
  if (pending.length + unknown.length > 0) return nowhere('the schema is of another Decorum');
  return { kind: 'running', databaseUrl };
}

function nowhere(why: string): Place {
  return { kind: 'nowhere', finding: warning(NAME, `not compared: ${why}`, 'see above') };
}
