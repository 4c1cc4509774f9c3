-- What the one writer has to do to all that is queued, walked in batches while the crawl runs: the position outlives a kill.
create table chore (
  crawl_id  integer not null references crawl on delete cascade,
  shard     smallint not null,
  kind      text not null check (kind in ('exclude', 'reband', 'evict')),
  queued    bigint not null,                             -- when it was begun
  looked    bigint not null default 0,                   -- URLs looked at since
  changed   bigint not null default 0,                   -- of these
  -- The URL that was looked at last, in the order of url_queued; without a key: everything before the host's first one.
  host_id   bigint not null default 0,
  band      smallint not null default 0,
  due_at    timestamptz not null default '-infinity',
  key_hash  uuid,
  begun_at  timestamptz not null default now(),
  primary key (crawl_id, shard, kind)
);
