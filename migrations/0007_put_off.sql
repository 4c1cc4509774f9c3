-- Since when a URL is answered by nothing but 429 and 503: its retry ladder stands still meanwhile, and it is given up in
-- the end.
alter table url add column put_off_since timestamptz;

-- The latest time that a shard's one writer has seen: where it lies ahead, the database's clock was set back.
alter table shard add column clock_at timestamptz not null default now();
