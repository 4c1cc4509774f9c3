import { beginChore } from './chores.ts';
import { inTransaction, type Db, type Tx } from './pool.ts';

// Index: crawl_pkey. Read and written in one statement, so that of two commands at once none loses its rules.
const CHANGE = `
  update crawl
     set settings = settings || jsonb_build_object('excludes', (
           select coalesce(jsonb_agg(rule order by at), '[]')
             from (select rule, min(at) as at
                     from (select rule, at
                             from jsonb_array_elements_text(coalesce(crawl.settings -> 'excludes', '[]'))
                                  with ordinality as kept (rule, at)
                            union all
                           select rule, 1000000 + at
                             from unnest($2::text[]) with ordinality as added (rule, at)) as rules
                    where rule <> all ($3::text[])
                    group by rule) as wanted))
   where crawl_id = $1
  returning settings -> 'excludes' as "excludes"`;

/** What changes of a crawl's excludes. */
export interface ExcludesChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/**
 * Changes the rules by which a crawl excludes URLs, from its next admit and claim on; what is queued already is walked
 * through by a chore.
 *
 * @returns the rules that it has now.
 */
export async function changeExcludes(
  db: Db,
  crawlId: number,
  { add, remove }: ExcludesChange,
): Promise<readonly string[]> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ excludes: readonly string[] }>({
      name: 'change_excludes',
      text: CHANGE,
      values: [crawlId, [...add], [...remove]],
    });
    if (add.length > 0) await beginChore(tx, crawlId, 'exclude');
    return rows[0]?.excludes ?? [];
  });
}

// Index: crawl_pkey.
const READ = `
  select coalesce(settings -> 'excludes', '[]') as "excludes"
    from crawl
   where crawl_id = $1`;

/** The rules by which a crawl excludes URLs now. */
export async function excludesOf(db: Db | Tx, crawlId: number): Promise<readonly string[]> {
  const { rows } = await db.query<{ excludes: readonly string[] }>({
    name: 'excludes_of',
    text: READ,
    values: [crawlId],
  });
  return rows[0]?.excludes ?? [];
}
