-- robots.txt is kept per origin, politeness per host: each file keeps the delay that it asks for, and its host the longest.
alter table robots add column crawl_delay_ms integer not null default 0;

update robots
   set crawl_delay_ms = host.crawl_delay_ms
  from host
 where host.host_id = robots.host_id
   and robots.access = 'rules';
