import type { ChoreKind } from '../domain/progress.ts';
import type { PrioritizerFor } from '../domain/prioritizer.ts';
import { excludeQueued } from './exclude-queued.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';
import { queuedBatch, type QueuedUrl, type QueuePosition } from './queued-batch.ts';
import { rebandQueued } from './reband-queued.ts';
import { setReady, type QueueChange } from './ready.ts';
import { lockShard, type Shard } from './shards.ts';

/** What a chore has done to a batch: how many URLs it has changed, and the front queues by that. */
export interface ChoreStep {
  readonly changed: number;
  readonly changes: readonly QueueChange[];
}

/** What chores work with beside the database. */
export interface ChoreTools {
  readonly prioritizerFor?: PrioritizerFor | undefined;
}

/** Does something to a batch of queued URLs. It may meet a URL twice, and must leave it then as it was. */
export type Chore = (
  tx: Tx,
  shard: Shard,
  urls: readonly QueuedUrl[],
  tools: ChoreTools,
) => Promise<ChoreStep>;

const CHORES: Readonly<Record<ChoreKind, Chore>> = {
  exclude: excludeQueued,
  reband: rebandQueued,
};

// Index: chore_pkey. The row is locked before the crawl's settings are read: whoever changes them begins the chore anew.
const NEXT = `
  select kind, host_id as "hostId", band, due_at::text as "dueAt", key_hash as "keyHash"
    from chore
   where crawl_id = $1
     and shard = $2
   order by kind
   limit 1
     for no key update`;

/**
 * Does the next batch of a shard's chore, in one transaction: whoever is killed in it has done nothing, and the next
 * goes on from there.
 *
 * @returns whether there was something to do.
 */
export async function doChore(db: Db, shard: Shard, tools: ChoreTools = {}): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockShard(tx, shard);
    const { rows } = await tx.query<QueuePosition & { kind: ChoreKind }>({
      name: 'next_chore',
      text: NEXT,
      values: [shard.crawlId, shard.shard],
    });
    const chore = rows[0];
    if (chore === undefined) return false;
    const { urls, next } = await queuedBatch(tx, shard, chore);
    const { changed, changes } = await CHORES[chore.kind](tx, shard, urls, tools);
    await setReady(tx, shard, [], changes);
    if (next === null) await end(tx, shard, chore.kind);
    else await moveOn(tx, shard, chore.kind, { next, looked: urls.length, changed });
    return true;
  });
}

const MOVE_ON = `
  update chore
     set looked = looked + $4,
         changed = changed + $5,
         host_id = $6,
         band = $7,
         due_at = $8,
         key_hash = $9
   where crawl_id = $1
     and shard = $2
     and kind = $3`;

async function moveOn(
  tx: Tx,
  { crawlId, shard }: Shard,
  kind: ChoreKind,
  step: { readonly next: QueuePosition; readonly looked: number; readonly changed: number },
): Promise<void> {
  const { hostId, band, dueAt, keyHash } = step.next;
  const position = [hostId, band, dueAt, keyHash];
  const values = [crawlId, shard, kind, step.looked, step.changed, ...position];
  await tx.query({ name: 'move_chore_on', text: MOVE_ON, values });
}

const END = `
  delete from chore
   where crawl_id = $1
     and shard = $2
     and kind = $3`;

async function end(tx: Tx, { crawlId, shard }: Shard, kind: ChoreKind): Promise<void> {
  await tx.query({ name: 'end_chore', text: END, values: [crawlId, shard, kind] });
}
