-- A crawl that is being removed: its rows go in batches, and from the first one on it can't be resumed.
alter table crawl add column removing_since timestamptz;

-- Serves db/list-hosts.ts and db/explain.ts: a host's latest fetch. By fetch_record_url all fetches of a host would be
-- read for that, and there may be millions.
create index fetch_record_host on fetch_record (host_id, fetch_id);
