import { expect } from 'vitest';
import { migrate, NewerSchema } from '../../db/migrate.ts';
import { connectDatabase, type Db } from '../../db/pool.ts';
import { test } from '../support/database.ts';
import { countOf, everything, oneHost } from './a-frontier.ts';
import { emptyDatabase } from './an-empty-database.ts';

test('the schema is the one that was reviewed', async ({ db }) => {
  // After a new migration: npx vitest run test/db/migrate.test.ts -u, and read the difference.
  await expect(await schemaOf(db)).toMatchFileSnapshot('schema.golden.txt');
});

test('migrating twice is migrating once', async ({ db, databaseUrl }) => {
  await oneHost(db);
  const before = [await schemaOf(db), await everything(db)];
  await migrate(databaseUrl);
  expect([await schemaOf(db), await everything(db)]).toEqual(before);
});

test('processes that migrate at once wait for each other', async ({ db }) => {
  const url = await emptyDatabase();
  await Promise.all(Array.from({ length: 4 }, () => migrate(url)));

  const fresh = connectDatabase(url);
  try {
    expect(await schemaOf(fresh)).toBe(await schemaOf(db));
    expect(await countOf(fresh, 'migration')).toBe(await countOf(db, 'migration'));
  } finally {
    await fresh.end();
  }
});

test('a database of a newer version is left alone', async ({ db, databaseUrl }) => {
  await db.query(`insert into migration (name) values ('9999_future.sql')`);
  await expect(migrate(databaseUrl)).rejects.toThrow(NewerSchema);
  await expect(migrate(databaseUrl)).rejects.toThrow('9999_future.sql');
});

/** Columns, constraints and indexes, in an order of their own. */
async function schemaOf(db: Db): Promise<string> {
  const { rows } = await db.query<{ line: string }>(
    `select line
       from (
         select format('%s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                       case when a.attnotnull then ' not null' end,
                       ' default ' || pg_get_expr(d.adbin, d.adrelid)) as line
           from pg_class c
           join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
           left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         union all
         select format('%s: %s', c.relname, pg_get_constraintdef(k.oid))
           from pg_constraint k
           join pg_class c on c.oid = k.conrelid
          where c.relnamespace = 'public'::regnamespace and not c.relispartition and k.contype <> 'n'
         union all
         select i.indexdef from pg_indexes i
           join pg_class c on c.relname = i.indexname and c.relnamespace = 'public'::regnamespace
          where i.schemaname = 'public' and not c.relispartition
         union all
         select format('%s: partition %s', c.relname, pg_get_expr(c.relpartbound, c.oid))
           from pg_class c
          where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind = 'r'
         union all
         select format('type %s: %s', t.typname, string_agg(e.enumlabel, ', ' order by e.enumsortorder))
           from pg_type t join pg_enum e on e.enumtypid = t.oid group by t.typname
       ) schema
      order by line collate "C"`,
  );
  return `${rows.map(({ line }) => line).join('\n')}\n`;
}
