import type { HostPolicy, PolicyBlock } from '../domain/host-policy.ts';
import { parseOpenHours } from '../domain/open-hours.ts';
import type { Lease } from './claim.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';

/** A policy, and what it is for: a host, or `domain:` and a name. */
export interface StoredPolicy extends HostPolicy {
  readonly subject: string;
  readonly setBy: string;
  readonly setAt: Date;
}

/** A policy's columns as they come with a host's row; all `null` where it has none. */
export interface PolicyColumns {
  readonly policySubject: string | null;
  readonly policyGapMs: number | null;
  readonly policyPagesADay: number | null;
  readonly policyHours: string | null;
  readonly policyExcluded: boolean | null;
}

/** The policy that goes for a host, of those columns. */
export function policyIn(row: PolicyColumns): HostPolicy {
  return {
    gapMs: row.policyGapMs,
    pagesADay: row.policyPagesADay,
    hours: row.policyHours === null ? null : (parseOpenHours(row.policyHours) ?? null),
    excluded: row.policyExcluded === true,
  };
}

/**
 * The one policy that goes for the host `h`: its own, else that of the longest domain that it is in. Index:
 * host_policy_pkey; where there are no policies at all, nothing is worked out.
 */
export const POLICY_OF_HOST = `
    select p.*
      from host_policy p
     where (select true from host_policy where subject > '' order by subject limit 1)
       and p.subject = any (h.host_key || array(
             select 'domain:' || array_to_string(names.labels[n:], '.')
               from (select string_to_array(h.host_key, '.') as labels) names,
                    generate_series(1, cardinality(names.labels)) n))
     order by p.subject = h.host_key desc, length(p.subject) desc
     limit 1`;

/** Its columns, of a policy called `policy`. */
export const POLICY_COLUMNS = `
         policy.subject as "policySubject",
         policy.gap_ms as "policyGapMs",
         policy.pages_a_day as "policyPagesADay",
         policy.open_hours as "policyHours",
         policy.excluded as "policyExcluded"`;

/**
 * When and why the host `h` is left alone by its policies, where that goes for every crawl that is meant. Index:
 * host_crawl_pkey.
 */
export const policyBlockOf = (crawls: string): string => `
      select min(hc.blocked_until) as until,
             (array_agg(hc.blocked_by order by hc.blocked_until))[1] as by
        from host_crawl hc
       where hc.host_id = h.host_id
         and ${crawls}
      having bool_and(coalesce(hc.blocked_until > clock_timestamp(), false))`;

/** A policy's block as it comes with a host's row. */
export interface BlockColumns {
  readonly policyUntil: Date | null;
  readonly policyBlockBy: PolicyBlock | null;
}

/** The block of those columns. */
export function policyBlockIn({
  policyUntil: until,
  policyBlockBy: by,
}: BlockColumns): { readonly until: Date; readonly by: PolicyBlock } | null {
  return until === null || by === null ? null : { until, by };
}

const LIST = `
  select subject,
         gap_ms as "gapMs",
         pages_a_day as "pagesADay",
         open_hours as "hoursText",
         excluded,
         set_by as "setBy",
         set_at as "setAt"
    from host_policy
   order by subject`;

/** Every policy, by what it is for. */
export async function listPolicies(db: Db): Promise<readonly StoredPolicy[]> {
  const { rows } = await db.query<Omit<StoredPolicy, 'hours'> & { hoursText: string | null }>({
    text: LIST,
  });
  return rows.map(({ hoursText, ...row }) => ({
    ...row,
    hours: hoursText === null ? null : (parseOpenHours(hoursText) ?? null),
  }));
}

// Index: host_policy_pkey. What isn't named stays, in one statement: of two commands at once none undoes the other.
const WRITE = `
  insert into host_policy as p (subject, gap_ms, pages_a_day, open_hours, excluded, set_by)
  values ($1, ($2::jsonb ->> 'gapMs')::bigint, ($2::jsonb ->> 'pagesADay')::int, $2::jsonb ->> 'hours',
          coalesce(($2::jsonb ->> 'excluded')::boolean, false), $3)
  on conflict (subject) do update
     set gap_ms = case when $2::jsonb ? 'gapMs' then excluded.gap_ms else p.gap_ms end,
         pages_a_day = case when $2::jsonb ? 'pagesADay' then excluded.pages_a_day else p.pages_a_day end,
         open_hours = case when $2::jsonb ? 'hours' then excluded.open_hours else p.open_hours end,
         excluded = case when $2::jsonb ? 'excluded' then excluded.excluded else p.excluded end,
         set_by = excluded.set_by,
         set_at = clock_timestamp()`;

const DROP_EMPTY = `
  delete from host_policy
   where subject = $1
     and gap_ms is null
     and pages_a_day is null
     and open_hours is null
     and not excluded`;

/** Changes what is named of a policy; one that then says nothing is gone. The next claim of each host goes by it. */
export async function changePolicy(
  db: Db,
  subject: string,
  { hours, ...change }: Partial<HostPolicy>,
  setBy: string,
): Promise<void> {
  const named = { ...change, ...(hours === undefined ? {} : { hours: hours?.text ?? null }) };
  await inTransaction(db, async (tx) => {
    await tx.query({ text: WRITE, values: [subject, JSON.stringify(named), setBy] });
    await tx.query({ text: DROP_EMPTY, values: [subject] });
    await liftBlocks(tx, subject);
  });
}

const CLEAR = `
  delete from host_policy
   where subject = $1`;

/** Takes a policy back; false where there was none. */
export async function clearPolicy(db: Db, subject: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query({ text: CLEAR, values: [subject] });
    await liftBlocks(tx, subject);
    return rowCount === 1;
  });
}

// The prioritizer looks at their standing anew.
const TOUCHED = `
  insert into outbox (crawl_id, shard, host_id)
  select crawl_id, shard, host_id
    from lifted`;

// Indexes: host_host_key_key, host_crawl_pkey. Of a domain: every host is read once.
const LIFT = `
  with lifted as (
    update host_crawl
       set blocked_until = null,
           blocked_by = null
      from host h
     where h.host_id = host_crawl.host_id
       and host_crawl.blocked_until is not null
       and (h.host_key = $1 or $2::text is not null and right('.' || h.host_key, length($2) + 1) = '.' || $2)
    returning host_crawl.crawl_id, host_crawl.shard, host_crawl.host_id
  )${TOUCHED}`;

/** What an earlier policy has forbidden until later is asked anew: a claim finds what goes now. */
async function liftBlocks(tx: Tx, subject: string): Promise<void> {
  const domain = subject.startsWith('domain:') ? subject.slice('domain:'.length) : null;
  await tx.query({ text: LIFT, values: [subject, domain] });
}

// Index: host_crawl_crawl.
const LIFT_IN_CRAWL = `
  with lifted as (
    update host_crawl
       set blocked_until = null,
           blocked_by = null
     where crawl_id = $1
       and blocked_by = 'pages a day'
    returning crawl_id, shard, host_id
  )${TOUCHED}`;

/** The same after a crawl has got another number of pages a host and day. */
export async function liftCrawlBlocks(tx: Tx, crawlId: number): Promise<void> {
  await tx.query({ text: LIFT_IN_CRAWL, values: [crawlId] });
}

// Indexes: host_pkey, url_pkey, host_crawl_pkey.
const BLOCK = `
  with freed as (
    update host
       set lease_token = null,
           lease_until = null,
           next_allowed_at = least(next_allowed_at, clock_timestamp()),
           clock_at = null,
           asked = greatest(asked - 1, 0)
     where host_id = $1
       and lease_token = $2
    returning host_id
  ), unclaimed as (
    update url
       set claims = greatest(claims - 1, 0)
      from freed
     where url.host_id = $1
       and url.crawl_id = $3
       and url.key_hash = $4
       and $5::boolean
  )
  update host_crawl
     set blocked_until = $6,
         blocked_by = $7
    from freed
   where host_crawl.host_id = $1
     and (not $8::boolean or host_crawl.crawl_id = $3)`;

/** A claim that a policy forbids for a while. */
export interface BlockedClaim {
  readonly lease: Lease;
  readonly crawlId: number;
  readonly keyHash: string;
  /** Whether the claim was for the URL itself. */
  readonly ofUrl: boolean;
  readonly until: Date;
  readonly by: PolicyBlock;
  /** Whether the limit is the crawl's own: other crawls may go on asking. */
  readonly ofCrawl: boolean;
}

/** Gives the claim back, and leaves the host's URLs alone until then. */
export async function blockHost(db: Db, blocked: BlockedClaim): Promise<void> {
  const { lease, crawlId, keyHash, ofUrl, until, by, ofCrawl } = blocked;
  const values = [lease.hostId, lease.token, crawlId, keyHash, ofUrl, until, by, ofCrawl];
  await db.query({ name: 'block_host', text: BLOCK, values });
}
