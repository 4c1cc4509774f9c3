import { deepCheck } from '../../../db/deep-check/deep-check.ts';
import type { Db } from '../../../db/pool.ts';

// What a finished crawl leaves for nobody to take in.
const LEFT_OVER = `
  select 'outbox row of ' || coalesce(outcome, 'links') || ' left' as line
    from outbox
    join crawl c using (crawl_id)
   where c.name = $1
     and (outcome is not null or links <> '[]')
   union all
  select pages_reserved || ' pages still reserved'
    from crawl
   where name = $1
     and pages_reserved <> 0`;

/** Where counts differ from the rows, as `doctor --deep` finds them, and what a crawl that has ended left over. */
export async function countFaults(db: Db, crawl = 'default'): Promise<readonly string[]> {
  const { checks } = await deepCheck(db);
  const { rows } = await db.query<{ line: string }>(LEFT_OVER, [crawl]);
  const differing = checks.flatMap(({ name, examples }) =>
    examples.map(
      ({ what, expected, found }) => `${name}: ${what}: expected ${expected}, found ${found}`,
    ),
  );
  return [...differing, ...rows.map(({ line }) => line)];
}

const UNSETTLED = `
  select u.request_url || ' is ' || u.state || ' (' || coalesce(u.reason, 'no reason') || ')' as line
    from url u
    join crawl c using (crawl_id)
   where c.name = $1
     and (u.state in ('queued', 'assigned') or u.state in ('dead', 'excluded') and u.reason is null)
   order by 1`;

/** The URLs of a crawl that have come to no end, or to one without a reason; empty after a finished crawl. */
export async function unsettled(db: Db, crawl = 'default'): Promise<readonly string[]> {
  const { rows } = await db.query<{ line: string }>(UNSETTLED, [crawl]);
  return rows.map(({ line }) => line);
}
