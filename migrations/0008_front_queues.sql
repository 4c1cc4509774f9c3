-- Front queues that cost a batch whatever they hold, several shards of one crawl, and turns for hosts that wait.

-- The page on which URLs were first found, told once for all of them.
create table source (
  source_id  bigint generated always as identity primary key,
  crawl_id   integer not null references crawl on delete cascade,
  url        text not null
);

-- Serves db/remove-crawl.ts.
create index source_crawl on source (crawl_id);

insert into source (crawl_id, url)
select distinct crawl_id, found_on
  from url
 where found_on is not null;

alter table url add column source_id bigint;

update url
   set source_id = source.source_id
  from source
 where source.crawl_id = url.crawl_id
   and source.url = url.found_on;

alter table url drop column found_on;

-- The slice of the crawl's hosts that this one is in, and its turn: since which page it is being fed, and when it last
-- made way for others.
alter table host_crawl add column shard smallint not null default 0;
alter table host_crawl add column session_from bigint;
alter table host_crawl add column session_ended_at timestamptz not null default 'epoch';

-- Serves db/pull.ts (hosts that are being fed, against the cap of live hosts).
create index host_crawl_session on host_crawl (crawl_id, shard) where session_from is not null;

update host_crawl
   set session_from = host_crawl.pages
  from host
 where host.host_id = host_crawl.host_id
   and host.state = 'live';

-- A host's front queues are set together, so they lie together.
alter table ready drop constraint ready_pkey;
alter table ready add primary key (crawl_id, host_id, band);
alter table ready add column shard smallint not null default 0;
alter table ready add column urls bigint not null default 0;       -- queued of this host and band
alter table ready add column turn_at timestamptz;                  -- its place in line: due, and after its last turn

update ready
   set turn_at = due_at,
       urls = (select count(*)
                 from url
                where url.host_id = ready.host_id
                  and url.crawl_id = ready.crawl_id
                  and url.band = ready.band
                  and url.state = 'queued');

alter table ready alter column turn_at set not null;
alter table ready drop constraint ready_standing_check;
alter table ready add constraint ready_standing_check check (standing in ('idle', 'live', 'spent', 'full', 'blocked'));

drop index ready_next;
drop index ready_blocked;
-- Serves db/pull.ts.
create index ready_next on ready (crawl_id, shard, band, standing, turn_at) where standing in ('idle', 'live', 'spent');
-- Serves db/ready.ts (blocks that have run out).
create index ready_blocked on ready (crawl_id, shard, until_at) where standing = 'blocked';
-- Serves the age of the oldest URL that waits, by band (R7).
create index ready_oldest on ready (crawl_id, band, due_at);
