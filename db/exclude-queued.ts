import { selectionExclusion, selectionText, urlSelectionOf } from '../domain/url-selection.ts';
import { excludesOf } from './excludes.ts';
import { countOutcomes } from './outcome-count.ts';
import type { Tx } from './pool.ts';
import type { QueuedUrl } from './queued-batch.ts';
import type { ChoreStep } from './do-chore.ts';
import type { Shard } from './shards.ts';

// Index: url_pkey.
const EXCLUDE = `
  update url
     set state = 'excluded',
         reason = named.reason
    from unnest($2::bigint[], $3::uuid[], $4::text[]) as named (host_id, key_hash, reason)
   where url.host_id = named.host_id
     and url.crawl_id = $1
     and url.key_hash = named.key_hash
     and url.state = 'queued'
  returning url.host_id as "hostId", url.band`;

/** Excludes of the queued URLs those that the crawl's rules of now exclude, with the rule as the reason. */
export async function excludeQueued(
  tx: Tx,
  { crawlId }: Shard,
  urls: readonly QueuedUrl[],
): Promise<ChoreStep> {
  const selection = urlSelectionOf({ excludes: await excludesOf(tx, crawlId) });
  const named = urls.flatMap(({ hostId, keyHash, url, depth }) => {
    const rule = selectionExclusion(url, depth, selection);
    return rule === undefined ? [] : [{ hostId, keyHash, reason: selectionText(rule) }];
  });
  if (named.length === 0) return { changed: 0, changes: [] };
  const { rows } = await tx.query<{ hostId: number; band: number }>({
    name: 'exclude_queued',
    text: EXCLUDE,
    values: [
      crawlId,
      named.map(({ hostId }) => hostId),
      named.map(({ keyHash }) => keyHash),
      named.map(({ reason }) => reason),
    ],
  });
  await countOutcomes(tx, crawlId, new Map([['excluded', { fetches: rows.length, bytes: 0 }]]));
  return { changed: rows.length, changes: rows.map((row) => ({ ...row, urls: -1 })) };
}
