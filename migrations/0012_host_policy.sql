-- What the operator says about hosts and domains, whichever crawl asks them.
create table host_policy (
  subject      text primary key,                        -- a host key; or "domain:" and a name: that host and all below it
  gap_ms       bigint check (gap_ms >= 0),
  pages_a_day  integer check (pages_a_day > 0),
  open_hours   text,                                    -- as domain/open-hours.ts writes them
  excluded     boolean not null default false,
  set_by       text not null,
  set_at       timestamptz not null default clock_timestamp()
);

-- When the latest day (of UTC) began on which the host has got requests, and how many: counted as they are claimed, so a
-- kill loses none.
alter table host add column asked_since timestamptz;
alter table host add column asked integer not null default 0;

-- How long a policy, or the crawl's own limit of pages a day, leaves the host's URLs of this crawl alone.
alter table host_crawl add column blocked_until timestamptz;
alter table host_crawl add column blocked_by text check (blocked_by in ('hours', 'pages a day'));
