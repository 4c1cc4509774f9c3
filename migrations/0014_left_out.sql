-- What a page's links leave behind beside themselves: how many were left out, by rule.
alter table outbox add column left_out jsonb;              -- { rule: links }

-- Links that never became rows, by rule: of the whole crawl under the host 0, and what tells of a trap also by host.
create table left_out (
  crawl_id  integer not null references crawl on delete cascade,
  host_id   bigint not null default 0,
  reason    text not null,
  links     bigint not null,
  primary key (crawl_id, host_id, reason)
);
