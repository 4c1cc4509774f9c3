-- The last whole answer of a URL that gave validators: the next request asks whether it still holds, and a revisit record
-- refers to its record. Null where there is none, or where what came after it was another answer.
alter table url add column last_answer jsonb;            -- { url, etag, lastModified, digest, recordId, recordedAt, isSitemap }

-- The same of a robots.txt, with the URL that gave it, which may be that of a redirect.
alter table robots add column validators jsonb;          -- { url, etag, lastModified }
