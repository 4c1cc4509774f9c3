import { expect, test as plain } from 'vitest';
import { admit } from '../../db/admit.ts';
import { hasChore } from '../../db/chores.ts';
import { outlookOf, requestsInFlight } from '../../db/crawl-end.ts';
import { doChore } from '../../db/do-chore.ts';
import { changeExcludes } from '../../db/excludes.ts';
import { renewLease } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import { pullBatch } from '../../db/pull.ts';
import { settle } from '../../db/settle.ts';
import { test } from '../support/database.ts';
import {
  fetchedSettlement,
  first,
  grantedClaim,
  leaveOutbox,
  linkTo,
  runningCrawl,
} from './a-frontier.ts';
import { EVERY_BAND } from './a-shard.ts';

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Plan Rows'?: number;
  readonly Plans?: readonly PlanNode[];
}

const HOT = [
  'claim',
  'renew_lease',
  'settle',
  'take_outbox',
  'admission_limits',
  'find_hosts',
  'queued_of_hosts',
  'seen_of_full_hosts',
  'insert_urls',
  'draw_sources',
  'keep_sources',
  'insert_host_crawls',
  'count_left_out',
  'has_chore',
  'next_chore',
  'queued_batch',
  'exclude_queued',
  'set_ready',
  'blocks_ended',
  'pull_limits',
  'bands_with_work',
  'assign_band',
  'begin_turns',
  'outlook',
  'in_flight',
];

/**
 * Whether a row exists is seen at the first one; leases in flight are counted once a crawl; the oldest rows of the outbox
 * are its first.
 */
const MAY_SCAN = new Set([
  'outlook scans outbox',
  'outlook scans ready',
  'in_flight scans host',
  'take_outbox scans outbox',
]);

/** Small by design: one row a crawl or a shard, or what the one writer has just been left. */
const MAY_BE_SCANNED = new Set([
  'crawl',
  'shard',
  'chore',
  'left_out',
  'outcome_count',
  'queued_count',
]);

test('no hot statement scans a table of any size', async ({ db }) => {
  const crawlId = await filled(db);
  const plans = await spied(db, () => workThrough(db, crawlId));

  expect([...plans.keys()].sort()).toEqual([...HOT].sort());
  const scans = [...plans].flatMap(([name, plan]) =>
    scannedTables(plan).map((table) => `${name} scans ${table}`),
  );
  expect(scans.filter((scan) => !MAY_SCAN.has(scan))).toEqual([]);
});

plain('a scan would be noticed', () => {
  const scan = { 'Node Type': 'Seq Scan', 'Relation Name': 'url_3' };
  const wholeIndex = { 'Node Type': 'Index Only Scan', 'Relation Name': 'ready' };
  const partOfIndex = { ...wholeIndex, 'Index Cond': '(crawl_id = 1)' };
  const plan = { 'Node Type': 'Append', Plans: [scan, wholeIndex, partOfIndex] };
  expect(scannedTables(plan)).toEqual(['url_3', 'ready']);
});

/** Read from end to end, by itself or by an index. */
function scannedTables(node: PlanNode): string[] {
  const table = node['Relation Name'];
  const whole =
    node['Node Type'] === 'Seq Scan' ||
    (node['Node Type'].startsWith('Index') && node['Index Cond'] === undefined);
  const own = whole && table !== undefined && !MAY_BE_SCANNED.has(table) ? [table] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedTables)];
}

/** 50,000 URLs on 2,000 hosts, a tenth of them done, with their front queues. */
async function filled(db: Db): Promise<number> {
  const crawlId = await runningCrawl(db, { hostQueue: 1 });
  await db.query(
    `insert into host (host_key) select 'h' || n || '.test' from generate_series(1, 2000) n`,
  );
  await db.query(`insert into host_crawl (host_id, crawl_id) select host_id, $1 from host`, [
    crawlId,
  ]);
  await db.query(
    `insert into robots (host_id, origin, access, version, status, fetched_at, expires_at)
     select host_id, 'http://' || host_key, 'allowAll', 1, 404, now(), now() + interval '1 day' from host`,
  );
  await db.query(
    `insert into source (crawl_id, url) select $1, 'http://' || host_key || '/' from host`,
    [crawlId],
  );
  await db.query(
    `insert into url (host_id, crawl_id, key_hash, request_url, state, band, depth, due_at)
     select h.host_id, $1, md5(h.host_key || n)::uuid, 'http://' || h.host_key || '/' || n,
            (case when n <= 2 then 'done' when n <= 4 and h.host_id % 20 = 0 then 'assigned' else 'queued' end)::url_state,
            1 + n % 3, 1, now() - interval '1 hour' + n * interval '1 s'
       from host h, generate_series(1, 25) n`,
    [crawlId],
  );
  await db.query(
    `insert into ready (crawl_id, band, host_id, due_at, turn_at, standing)
     select $1, b, host_id, now() - interval '1 hour', now() - interval '1 hour', case when host_id % 20 = 0 then 'live' else 'idle' end
       from host, generate_series(1, 3) b`,
    [crawlId],
  );
  await db.query(`update host set state = 'live' where host_id % 20 = 0`);
  await leaveOutbox(db, crawlId, {
    foundOn: 'http://h1.test/',
    links: [
      ...Array.from({ length: 50 }, (_, at) => linkTo(`http://h${at}.test/new`)),
      linkTo('http://h1.test/newer'),
    ],
  });
  await db.query(
    `insert into outbox (crawl_id, outcome, host_id, links) select $1, 'fetched', n, '[]' from generate_series(1, 1000) n`,
    [crawlId],
  );
  await db.query(
    `insert into host_policy (subject, gap_ms, set_by) select 'domain:d' || n || '.test', 1000, 'ann' from generate_series(1, 2000) n`,
  );
  await db.query('vacuum analyze');
  return crawlId;
}

/** Every hot statement once, by the functions that send it. */
async function workThrough(db: Db, crawlId: number): Promise<void> {
  const claimed = await grantedClaim(db, 20);
  await renewLease(db, claimed.lease, 1_000);
  await settle(db, claimed.lease, fetchedSettlement(claimed));
  await admit(db, { crawlId, shard: 0 });
  await pullBatch(db, { crawlId, shard: 0 }, 1, EVERY_BAND);
  await changeExcludes(db, crawlId, { add: ['path:/2*'], remove: [] });
  expect(await hasChore(db, { crawlId, shard: 0 })).toBe(true);
  await doChore(db, { crawlId, shard: 0 });
  await outlookOf(db, crawlId);
  await requestsInFlight(db, crawlId);
}

/** The plans of the hot statements that `work` sends, each explained on its own connection right before it runs. */
async function spied(db: Db, work: () => Promise<void>): Promise<ReadonlyMap<string, PlanNode>> {
  const plans = new Map<string, PlanNode>();
  const explained: Promise<void>[] = [];
  const undo: (() => void)[] = [];
  const onConnection = (client: { query: unknown }): void => {
    const original = client.query as (...given: unknown[]) => Promise<Explained>;
    client.query = (...given: unknown[]) => {
      const [statement] = given;
      if (isStatement(statement) && HOT.includes(statement.name)) {
        const { name, text, values = [] } = statement;
        const answer = original.call(client, `explain (format json) ${text}`, [...values]);
        explained.push(
          answer.then(({ rows }) => void plans.set(name, first(first(rows)['QUERY PLAN']).Plan)),
        );
      }
      return original.apply(client, given);
    };
    undo.push(() => {
      client.query = original;
    });
  };
  db.on('acquire', onConnection);
  try {
    await work();
    await Promise.all(explained);
  } finally {
    db.off('acquire', onConnection);
    for (const restore of undo.reverse()) restore();
  }
  return plans;
}

interface Explained {
  readonly rows: readonly { readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }[];
}

function isStatement(given: unknown): given is Statement {
  return typeof given === 'object' && given !== null && 'name' in given && 'text' in given;
}
