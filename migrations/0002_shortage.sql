-- Folders of pages that have no room: their workers hold back until there is. Written again every few seconds while it
-- lasts, so that a row which nobody refreshes tells of a worker that is gone.
create table shortage (
  place         text primary key,                       -- machine:folder
  free_bytes    bigint not null,
  wanted_bytes  bigint not null,
  refusal       text,                                   -- the disk's words where it refused a write
  since         timestamptz not null default now(),
  seen_at       timestamptz not null default now()
);
