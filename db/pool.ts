import pg from 'pg';

/** A pool of connections to Decorum's database. */
export type Db = pg.Pool;

/** One connection, inside a transaction. */
export type Tx = pg.PoolClient;

// bigint ids and counts stay far below 2^53 here, so plain numbers are exact.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * Opens a pool. A connection that dies while idle is dropped quietly: the next query opens another, and an error of a
 * query in progress reaches its caller.
 */
export function connectDatabase(
  databaseUrl: string,
  { max = 10, applicationName = 'decorum' }: { max?: number; applicationName?: string } = {},
): Db {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
  });
  pool.on('error', () => undefined);
  return pool;
}

/** Runs `work` in one transaction; a connection whose rollback fails is thrown away. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await db.connect();
  tx.on('error', ignore);
  let broken: Error | undefined;
  try {
    await tx.query('begin');
    const result = await work(tx);
    await tx.query('commit');
    return result;
  } catch (error) {
    await tx.query('rollback').catch((cause: unknown) => {
      broken = new Error('rollback failed', { cause });
    });
    throw error;
  } finally {
    tx.off('error', ignore);
    tx.release(broken);
  }
}

// Without a listener the death of a checked-out connection would end the process; its query fails anyway.
const ignore = (): void => undefined;
