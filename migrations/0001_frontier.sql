-- The record of every crawl: what is known, what became of it, and when each host may be asked again.

create type url_state as enum ('queued', 'assigned', 'done', 'dead', 'excluded');

create table crawl (
  crawl_id        integer generated always as identity primary key,
  name            text not null unique,
  settings        jsonb not null,
  state           text not null check (state in ('running', 'stopping', 'stopped', 'finished')),
  end_reason      text check (end_reason in ('finished', 'pages spent', 'time spent', 'only retries left', 'stopped')),
  started_at      timestamptz not null default now(),
  run_started_at  timestamptz not null default now(),   -- of the present run, for the time budget
  spent_ms        bigint not null default 0,            -- of the time budget, by the runs before this one
  ended_at        timestamptz,
  -- The page budget is exact: a page is reserved when its URL is assigned and counted when it is settled.
  pages_reserved  bigint not null default 0,            -- outstanding: assigned, not yet counted
  pages_settled   bigint not null default 0
);

-- One writer a shard: every transaction of admit and pull takes its row for update.
create table shard (
  crawl_id        integer not null references crawl on delete cascade,
  shard           smallint not null,
  batch_id        bigint not null default 0,            -- the latest pull, and what it assigned, for a repeated call
  batch_feeds     jsonb not null default '[]',
  known           bigint not null default 0,            -- URLs of this shard, counted as they enter
  primary key (crawl_id, shard)
);

-- Queued URLs by band, counted by the one writer so that progress needs no scan.
create table queued_count (
  crawl_id  integer not null references crawl on delete cascade,
  shard     smallint not null,
  band      smallint not null check (band between 1 and 8),
  urls      bigint not null default 0,
  primary key (crawl_id, shard, band)
);

-- Outcomes by kind, counted by the one writer from the outbox.
create table outcome_count (
  crawl_id  integer not null references crawl on delete cascade,
  outcome   text not null,
  fetches   bigint not null default 0,
  bytes     bigint not null default 0,
  primary key (crawl_id, outcome)
);

-- The control row of a host, shared by all crawls. The lease and the clock change with every fetch: no index names
-- them and pages keep room, so that these updates stay heap-only.
create table host (
  host_id          bigint generated always as identity primary key,
  host_key         text not null unique,
  lease_token      uuid,
  lease_until      timestamptz,
  lease_crawl_id   integer,                             -- on whose behalf
  next_allowed_at  timestamptz not null default 'epoch',
  blocked_until    timestamptz,                         -- Retry-After and rests; apart from the gap
  clock_at         timestamptz,                         -- when next_allowed_at was last written …
  clock_owed_ms    bigint,                              -- … and how far ahead of that it lay
  fetch_ms         integer not null default 0,          -- of the last request
  gap_ms           bigint not null default 0,           -- after the last request
  crawl_delay_ms   integer not null default 0,          -- of its robots.txt, capped
  backoff_level    smallint not null default 0,
  good_answers     smallint not null default 0,
  failures_in_row  smallint not null default 0,
  hold_who         text,
  hold_why         text,
  hold_since       timestamptz,
  hold_until       timestamptz,
  hold_seq         bigint not null default 0,           -- orders pause and resume
  state            text not null default 'idle' check (state in ('live', 'resting', 'robots', 'idle'))
) with (fillfactor = 60);

-- Serves db/frontier.ts (the cap of live hosts) and db/progress.ts.
create index host_active on host (state) where state <> 'idle';
create index host_held on host (host_id) where hold_since is not null;

-- A host's part in a crawl: whose turn it is, and how much it has cost.
create table host_crawl (
  host_id    bigint not null references host,
  crawl_id   integer not null references crawl on delete cascade,
  served_at  timestamptz not null default 'epoch',
  pages      bigint not null default 0,
  primary key (host_id, crawl_id)
) with (fillfactor = 60);

create index host_crawl_crawl on host_crawl (crawl_id);

-- The frontier. A host's rows live together; the URL key is kept as its md5, so that its length never matters.
create table url (
  host_id      bigint not null,
  crawl_id     integer not null,
  key_hash     uuid not null,
  request_url  text not null,
  state        url_state not null default 'queued',
  band         smallint not null check (band between 1 and 8),
  depth        smallint not null,
  hops         smallint not null default 0,             -- redirects that led here
  claims       smallint not null default 0,             -- raised by claim, 0 at settle
  failures     smallint not null default 0,             -- the step of the retry ladder
  reserved     boolean not null default false,          -- holds a page of the budget
  due_at       timestamptz not null,
  reason       text,                                    -- why it is dead or excluded
  found_on     text,                                    -- the page that it was first found on
  primary key (host_id, crawl_id, key_hash)
) partition by hash (host_id);

do $$
begin
  for n in 0..15 loop
    execute format('create table url_%s partition of url for values with (modulus 16, remainder %s)', n, n);
  end loop;
end $$;

-- Serves db/frontier.ts pullBatch and db/admit.ts (a band's first URL of a host).
create index url_queued on url (host_id, crawl_id, band, due_at) where state = 'queued';
-- Serves db/claim.ts (the back queue) and db/crawl-end.ts.
create index url_assigned on url (host_id, crawl_id, due_at) where state = 'assigned';

-- The front queues: one row per crawl, band and host that has queued work. Pulls choose hosts from this table only.
create table ready (
  crawl_id  integer not null references crawl on delete cascade,
  band      smallint not null check (band between 1 and 8),   -- 1 is the most urgent
  host_id   bigint not null references host,
  due_at    timestamptz not null,                             -- of the host's first URL in this band
  standing  text not null check (standing in ('idle', 'live', 'full', 'blocked')),
  until_at  timestamptz,                                      -- when a block ends by itself
  primary key (crawl_id, band, host_id)
);

-- Serves db/frontier.ts pullBatch.
create index ready_next on ready (crawl_id, band, standing, due_at) where standing in ('idle', 'live');
-- Serves db/admit.ts (blocks that have run out).
create index ready_blocked on ready (crawl_id, until_at) where standing = 'blocked';

-- What visits, seeds and holds leave for the one writer.
create table outbox (
  outbox_id   bigint generated always as identity primary key,
  crawl_id    integer not null references crawl on delete cascade,
  shard       smallint not null default 0,
  host_id     bigint,                                   -- whose standing may have changed
  outcome     text,                                     -- counted in outcome_count
  bytes       bigint not null default 0,
  settled     smallint not null default 0,              -- pages to count against the budget
  released    smallint not null default 0,              -- reservations given back
  found_on    text,
  links       jsonb not null default '[]'               -- [{ url, key, host, depth, hops, band }]
);

-- Serves db/admit.ts.
create index outbox_next on outbox (crawl_id, shard, outbox_id);

-- robots.txt, kept per origin (RFC 9309 §2.3) and shared by all crawls.
create table robots (
  robots_id          bigint generated always as identity primary key,
  host_id            bigint not null references host,
  origin             text not null,
  access             text check (access in ('rules', 'allowAll', 'unreachable')),   -- null: never read
  version            bigint not null default 0,          -- changes with the body
  body               bytea,
  status             smallint,
  fetched_at         timestamptz,
  expires_at         timestamptz,
  retry_at           timestamptz,                        -- while unreachable: when to try again
  unreachable_since  timestamptz,
  tries              integer not null default 0,         -- in a row without success
  hop_url            text,                               -- a redirect of the file still to be followed
  hops               smallint not null default 0,
  unique (host_id, origin)
);

-- One row a fetch: pages, redirect hops, failures and robots.txt.
create table fetch_record (
  fetch_id      bigint generated always as identity primary key,
  crawl_id      integer not null references crawl on delete cascade,
  host_id       bigint not null,
  key_hash      uuid,                                    -- null for robots.txt
  request_url   text not null,
  fetched_at    timestamptz not null,
  fetch_ms      integer not null,
  status        smallint,
  outcome       text not null,
  reason        text,
  location      text,
  content_type  text,
  digest        text,
  body_bytes    bigint not null default 0,
  truncated     boolean not null default false,
  links         integer not null default 0,
  title         text,
  noindex       boolean not null default false,
  warc_file     text,
  warc_offset   bigint,
  warc_length   bigint
);

-- Serves db/explain.ts.
create index fetch_record_url on fetch_record (host_id, key_hash, fetch_id);
