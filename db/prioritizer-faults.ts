import type { Db, Tx } from './pool.ts';

/** What a crawl's prioritizer module got wrong: so many URLs went by the other rules. */
export interface PrioritizerFaults {
  readonly file: string;
  /** The latest, on one line. */
  readonly fault: string;
  readonly urls: number;
}

// Index: prioritizer_fault_pkey. Another module begins anew.
const ADD = `
  insert into prioritizer_fault (crawl_id, file, fault, urls)
  values ($1, $2, $3, $4)
  on conflict (crawl_id) do update
     set file = excluded.file,
         fault = excluded.fault,
         urls = case when prioritizer_fault.file = excluded.file then prioritizer_fault.urls else 0 end + excluded.urls
  returning urls = $4 as "isFirst"`;

/** Counts faults of a crawl's module; whether they are its first. */
export async function addPrioritizerFaults(
  db: Db | Tx,
  crawlId: number,
  { file, fault, urls }: PrioritizerFaults,
): Promise<boolean> {
  const { rows } = await db.query<{ isFirst: boolean }>({
    name: 'add_prioritizer_faults',
    text: ADD,
    values: [crawlId, file, fault.replaceAll('\0', ' '), urls],
  });
  return rows[0]?.isFirst === true;
}

// Indexes: prioritizer_fault_pkey, crawl_pkey. Of the module that the crawl has now.
const FAULTS = `
  select f.file, f.fault, f.urls
    from prioritizer_fault f
    join crawl c on c.crawl_id = f.crawl_id
   where f.crawl_id = $1
     and c.settings ->> 'prioritizer' = f.file`;

/** What the module that a crawl has got wrong so far; `null` where it did nothing wrong. */
export async function prioritizerFaultsOf(
  db: Db,
  crawlId: number,
): Promise<PrioritizerFaults | null> {
  const { rows } = await db.query<PrioritizerFaults>({
    name: 'prioritizer_faults',
    text: FAULTS,
    values: [crawlId],
  });
  return rows[0] ?? null;
}
