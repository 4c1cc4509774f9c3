-- Since when a URL is answered by nothing but 429 and 503: its retry ladder stands still meanwhile, and it is given up in
-- the end.
alter table url add column put_off_since timestamptz;
