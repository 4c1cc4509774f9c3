import type { Tx } from '../pool.ts';
import { WHOLE_CRAWL } from './check.ts';

/** A WARC file as the fetch records know it. */
export interface RecordedFile {
  readonly file: string;
  /** Where its last recorded response ends, in bytes. */
  readonly endBytes: number;
  readonly records: number;
}

// One scan of fetch_record; a group a file. A removal with its files deletes them before the records.
const FILES = `
  select warc_file as "file",
         max(warc_offset + warc_length)::bigint as "endBytes",
         count(*)::bigint as "records"
    from fetch_record
   where warc_file is not null
     and ${WHOLE_CRAWL}
   group by warc_file
   order by warc_file`;

/** Every file that a fetch record names, and how long it must be at least. */
export async function readRecordedFiles(tx: Tx): Promise<readonly RecordedFile[]> {
  const { rows } = await tx.query<RecordedFile>(FILES);
  return rows;
}
