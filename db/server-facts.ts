import type { Db } from './pool.ts';

/** What a Postgres says of itself. */
export interface ServerFacts {
  /** As people write it: `18.4`. */
  readonly version: string;
  /** Its clock, to the millisecond, and how old that was when we heard of it, at most. */
  readonly now: Date;
  readonly heardWithinMs: number;
}

// No table is read.
const FACTS = `
  select current_setting('server_version') as version,
         clock_timestamp() as now`;

/** Asks a Postgres for its version and its clock. The connection is made before the clock is asked for. */
export async function readServerFacts(db: Db): Promise<ServerFacts> {
  const connection = await db.connect();
  try {
    const askedAtMs = performance.now();
    const { rows } = await connection.query<{ version: string; now: Date }>(FACTS);
    const heardWithinMs = performance.now() - askedAtMs;
    const row = rows[0];
    if (row === undefined) throw new Error('Postgres says nothing of itself');
    return { ...row, heardWithinMs };
  } finally {
    connection.release();
  }
}

// One row a crawl.
const WANTED_ROOM = `
  select max((settings ->> 'minFreeBytes')::bigint) as bytes
    from crawl`;

/** What the most demanding crawl wants free on the disk of its pages; `null` where none says. */
export async function readWantedRoom(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ bytes: number | null }>({
    name: 'wanted_room',
    text: WANTED_ROOM,
  });
  return rows[0]?.bytes ?? null;
}
