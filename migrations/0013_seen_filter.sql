-- What the seen test by filter answered in each shard, kept by the one writer: what it costs is shown from these.
alter table shard add column filter_entered bigint not null default 0;   -- surely new
alter table shard add column filter_left_out bigint not null default 0;  -- taken for known ones, unasked
alter table shard add column filter_checked bigint not null default 0;   -- taken for known ones, and asked about all the same
alter table shard add column filter_wrong bigint not null default 0;     -- of the checked: new
