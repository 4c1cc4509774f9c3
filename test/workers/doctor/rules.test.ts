import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../../workers/doctor/finding.ts';
import { diskFinding } from '../../../workers/doctor/folder.ts';
import { buildFinding, isAtLeast, nodeFinding } from '../../../workers/doctor/installation.ts';
import { fileLimitFinding, memoryFinding } from '../../../workers/doctor/machine.ts';
import { clockFinding, schemaFinding, versionFinding } from '../../../workers/doctor/postgres.ts';
import { attributesFinding } from '../../../workers/doctor/temporal.ts';

const MB = 1_000_000;

describe('what is wrong is found, and what is well is left alone', () => {
  test.each<[what: string, finding: Finding, state: Finding['state'], told: string]>([
    ['an old Node', nodeFinding('18.20.4', '>=20.19'), 'fault', '18.20.4 (>=20.19 is needed)'],
    ['the oldest Node that will do', nodeFinding('20.19.0', '>=20.19'), 'ok', '20.19.0'],
    ['few open files', fileLimitFinding(256, 1_000), 'warning', '156 visits at once of the 1000'],
    ['hardly any open files', fileLimitFinding(110, 1_000), 'fault', '10 visits at once'],
    ['enough open files', fileLimitFinding(1_100, 1_000), 'ok', 'at most 1100'],
    ['no limit of open files', fileLimitFinding(undefined, 1_000), 'ok', 'no limit'],
    ['little memory', memory(700), 'warning', '700 MB free'],
    ['hardly any memory', memory(300), 'fault', '300 MB free'],
    ['enough memory', memory(2_000), 'ok', '2.0 GB free'],
    ['a disk with less than crawls want', disk(200 * MB, 1e6), 'fault', '200 MB, 1000000 inodes'],
    ['a disk with little more', disk(500 * MB, 1e6), 'warning', 'crawls want 256 MB'],
    ['a disk that can take few more files', disk(50_000 * MB, 90), 'warning', '90 inodes'],
    ['a disk that counts no files', disk(50_000 * MB, undefined), 'ok', '50.0 GB free'],
    ['a clock that is ahead', clockFinding(90_000, 5), 'warning', '1 min 30 s ahead of'],
    ['a clock that is behind', clockFinding(-90_000, 5), 'warning', '1 min 30 s behind'],
    ['a clock that an answer took long to tell', clockFinding(6_000, 3_000), 'ok', 'agree'],
    ['an old Postgres', versionFinding('13.11', 'db:5432/crawls'), 'fault', '13.11 at db:5432'],
    ['a Postgres that will do', versionFinding('18.4', 'db:5432/crawls'), 'ok', '18.4'],
    ['a Postgres as Debian packs it', versionFinding('15.8 (Debian 15.8-1)', 'db'), 'ok', '15.8'],
    ['a newer schema', schema({ unknown: ['0099_later.sql'] }), 'fault', '0099_later.sql'],
    ['an older schema', schema({ pending: ['0002_b.sql'] }), 'warning', 'will be applied'],
    ['the present schema', schema({}), 'ok', 'up to date (0001_a.sql)'],
    ['an empty database', schema({ applied: [], pending: ['0001_a.sql'] }), 'ok', 'an empty'],
    ['missing search attributes', attributesFinding(['CrawlHost'], ''), 'warning', 'CrawlState'],
    ['search attributes', attributesFinding(['CrawlHost', 'CrawlState'], ''), 'ok', ''],
  ])('%s', (_what, { state, found, remedy }, expected, told) => {
    expect(state).toBe(expected);
    expect(found).toContain(told);
    expect(remedy === null).toBe(expected === 'ok');
  });
});

test('a package that was not built lists what is missing', () => {
  const root = mkdtempSync(join(tmpdir(), 'decorum-build-'));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  mkdirSync(join(root, 'dist', 'cli'), { recursive: true });
  writeFileSync(join(root, 'dist', 'cli', 'main.js'), '');

  const { state, found } = buildFinding(root);

  expect(state).toBe('fault');
  expect(found).toContain('workflow-bundle.js');
  expect(found).not.toContain('main.js, dist/cli');
});

test.each([
  ['20.19.0', '20.19', true],
  ['20.18.9', '20.19', false],
  ['22.0.0', '20.19', true],
  ['9.99', '20.19', false],
  ['18.4', '14', true],
])('%s is at least %s: %s', (version, least, holds) => {
  expect(isAtLeast(version, least)).toBe(holds);
});

function memory(freeMb: number): Finding {
  return memoryFinding({ totalBytes: 8_000 * MB, freeBytes: freeMb * MB });
}

function disk(freeBytes: number, freeInodes: number | undefined): Finding {
  return diskFinding({ freeBytes, freeInodes }, 256 * MB);
}

function schema(
  state: Partial<Readonly<Record<'applied' | 'pending' | 'unknown', string[]>>>,
): Finding {
  return schemaFinding({ applied: ['0001_a.sql'], pending: [], unknown: [], ...state });
}
