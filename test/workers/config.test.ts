import { expect, test } from 'vitest';
import { loadConfig } from '../../workers/config.ts';
import { BadInput } from '../../workers/server-errors.ts';

test('where the environment names no server, both are embedded', () => {
  const { databaseUrl, temporal } = loadConfig(nothing);
  expect([databaseUrl, temporal]).toEqual([undefined, undefined]);
});

test.each([
  [{ DATABASE_URL: 'postgres://u:p@db:5433/x' }, 'postgres://u:p@db:5433/x'],
  [{ DATABASE_URL: 'postgres://db/x', PGHOST: 'other' }, 'postgres://db/x'],
  [{ PGHOST: 'db' }, 'postgres://postgres@db:5432/postgres'],
  [{ PGDATABASE: 'crawls', PGUSER: 'me' }, 'postgres://me@localhost:5432/crawls'],
  [
    { PGHOST: 'db', PGPORT: '6000', PGUSER: 'a b', PGPASSWORD: 'p@/', PGSSLMODE: 'require' },
    'postgres://a%20b:p%40%2F@db:6000/a%20b?sslmode=require',
  ],
  [
    { PGHOST: '/run/postgresql', PGUSER: 'me' },
    'postgres://me@localhost:5432/me?host=%2Frun%2Fpostgresql',
  ],
  [{ PGUSER: 'me', PGPASSWORD: 'p' }, undefined],
  [{ DATABASE_URL: '' }, undefined],
])('the database of %o is %s', (environment, databaseUrl) => {
  expect(loadConfig({ ...nothing, ...environment }).databaseUrl).toBe(databaseUrl);
});

test.each([
  [{ TEMPORAL_ADDRESS: 'db:7233' }, { address: 'db:7233', namespace: 'default' }],
  [{ TEMPORAL_NAMESPACE: 'crawls' }, { address: 'localhost:7233', namespace: 'crawls' }],
  [
    { TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_API_KEY: 'k' },
    { address: 'cloud:7233', connection: { apiKey: 'k', tls: true } },
  ],
])('Temporal by %o is as its own conventions say', (environment, target) => {
  expect(loadConfig({ ...nothing, ...environment }).temporal).toMatchObject(target);
});

test('one error names every bad value, and no password', () => {
  const read = (): unknown =>
    loadConfig({
      ...nothing,
      DATABASE_URL: 'mysql://u:secret@db/x',
      PGPORT: 'many',
      DECORUM_LOG_LEVEL: 'loud',
      TEMPORAL_PROFILE: 'nowhere',
    });

  expect(read).toThrow(BadInput);
  expect(read).toThrow(/DATABASE_URL.*PGPORT is "many".*DECORUM_LOG_LEVEL is "loud".*nowhere/);
  expect(read).not.toThrow(/secret/);
});

/** Points Temporal's own settings file at none, whatever the machine has. */
const nothing = { TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml' };
