import { admit } from '../../db/admit.ts';
import { settle } from '../../db/settle.ts';
import type { Db } from '../../db/pool.ts';
import { writeHold } from '../../db/holds.ts';
import { markLive } from '../../db/hosts.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { fetchedSettlement, grantedClaim, linkTo, openHost, runningCrawl } from './a-frontier.ts';
import { EVERY_BAND, pullFeeds, queue } from './a-shard.ts';

/** A crawl that has stopped in the middle, with something in every table. */
export interface CrawlUnderWay {
  readonly crawlId: number;
  /** Of `a.test`: one page settled, one claimed, more assigned and queued. */
  readonly hostId: number;
  /** Of `held.test`, which is paused. */
  readonly heldHostId: number;
}

/** Makes a crawl by the statements that crawls are made by: seeds, admit, pull, claim, settle, and nothing past them. */
export async function crawlUnderWay(db: Db): Promise<CrawlUnderWay> {
  const crawlId = await runningCrawl(db, { pageBudget: 100 });
  const hostId = await openHost(db, 'a.test');
  const heldHostId = await openHost(db, 'held.test');
  const paths = Array.from({ length: 25 }, (_, at) => `http://a.test/${at}`);
  await queue(db, crawlId, paths);
  await queue(db, crawlId, ['http://a.test/deep', 'http://b.test/'], { band: 2 });
  await queue(db, crawlId, ['http://held.test/']);
  await writeHold(db, 'held.test' as HostKey, { who: 'kim', why: 'asked to' });
  await admit(db, { crawlId, shard: 0 });
  await pullFeeds(db, crawlId, 1, EVERY_BAND);
  await markLive(db, [hostId]);

  const settled = await grantedClaim(db, hostId);
  const links = [linkTo('http://a.test/found', { depth: 1 }), linkTo('http://c.test/')];
  await settle(db, settled.lease, fetchedSettlement(settled, { links }));
  await admit(db, { crawlId, shard: 0 });
  await db.query(`update host set next_allowed_at = 'epoch' where host_id = $1`, [hostId]);
  const pending = await grantedClaim(db, hostId);
  await settle(db, pending.lease, fetchedSettlement(pending));
  await db.query(`update host set next_allowed_at = 'epoch' where host_id = $1`, [hostId]);
  await grantedClaim(db, hostId);
  return { crawlId, hostId, heldHostId };
}
