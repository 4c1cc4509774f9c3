import type { ChoreKind, ChoreProgress } from '../domain/progress.ts';
import type { Db, Tx } from './pool.ts';
import type { Shard } from './shards.ts';

// Index: chore_pkey. One that is under way begins anew, since it is another one now.
const BEGIN = `
  insert into chore (crawl_id, shard, kind, queued)
  select s.crawl_id, s.shard, $2,
         (select coalesce(sum(q.urls), 0) from queued_count q where q.crawl_id = s.crawl_id and q.shard = s.shard)
    from shard s
   where s.crawl_id = $1
   order by s.shard
  on conflict (crawl_id, shard, kind) do update
     set queued = excluded.queued,
         looked = 0,
         changed = 0,
         host_id = 0,
         band = 0,
         due_at = '-infinity',
         key_hash = null,
         begun_at = now()`;

/** Asks the one writer of each shard to do something to all that is queued; it begins in its next round. */
export async function beginChore(tx: Tx, crawlId: number, kind: ChoreKind): Promise<void> {
  await tx.query({ name: 'begin_chore', text: BEGIN, values: [crawlId, kind] });
}

// Index: chore_pkey.
const IS_LEFT = `
  select exists (select from chore where crawl_id = $1 and shard = $2) as "isLeft"`;

/** Whether a shard has a chore to do. */
export async function hasChore(db: Db, { crawlId, shard }: Shard): Promise<boolean> {
  const { rows } = await db.query<{ isLeft: boolean }>({
    name: 'has_chore',
    text: IS_LEFT,
    values: [crawlId, shard],
  });
  return rows[0]?.isLeft === true;
}

// Index: chore_pkey. A row a shard and kind.
const PROGRESS = `
  select kind,
         sum(queued)::bigint as "queued",
         sum(looked)::bigint as "looked",
         sum(changed)::bigint as "changed"
    from chore
   where crawl_id = $1
   group by kind
   order by kind`;

/** The chores of a crawl that are under way. */
export async function choresOf(db: Db, crawlId: number): Promise<readonly ChoreProgress[]> {
  const { rows } = await db.query<ChoreProgress>({
    name: 'chores_of',
    text: PROGRESS,
    values: [crawlId],
  });
  return rows;
}
