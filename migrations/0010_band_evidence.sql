-- What puts a URL into its band beside the URL itself: what its sitemap says of it, from 0 to 1.
alter table url add column sitemap_priority real;

-- What a crawl's prioritizer module got wrong; its URLs went by the crawl's other rules.
create table prioritizer_fault (
  crawl_id  integer primary key references crawl on delete cascade,
  file      text not null,
  fault     text not null,                               -- the latest
  urls      bigint not null
);
