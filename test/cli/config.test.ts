import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { changedSettings } from '../../cli/settings/changed-settings.ts';
import type { SettingInForce } from '../../cli/settings/settings-in-force.ts';
import { DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import { writtenBy } from './written-by.ts';

const folder = mkdtempSync(join(tmpdir(), 'decorum-config-'));
const file = join(folder, 'decorum.yaml');

afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function inForce(...words: string[]): Promise<ReadonlyMap<string, SettingInForce>> {
  const written = await writtenBy('config', '--json', ...words);
  const settings = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SettingInForce);
  return new Map(settings.map((setting) => [setting.key, setting]));
}

test('a flag comes before the file, and the file before the default', async () => {
  writeFileSync(file, 'minGap: 3\npages: 9\nwait: true\nlogLevel: warn\n');
  const settings = await inForce('--config', file, '--min-gap', '2s', '--no-wait');

  expect(settings.get('minGap')).toMatchObject({ value: '2s', source: 'flag', from: '--min-gap' });
  expect(settings.get('wait')).toMatchObject({ value: 'false', from: '--no-wait' });
  expect(settings.get('pages')).toMatchObject({ value: '9', from: `${file}:2` });
  expect(settings.get('logLevel')).toMatchObject({ value: 'warn', source: 'file' });
  expect(settings.get('depth')).toMatchObject({ value: 'none', source: 'default' });
});

test('passwords are not shown', async () => {
  writeFileSync(file, 'databaseUrl: postgres://u:secret@h/db\ntemporalApiKey: secret\n');
  const settings = [...(await inForce('--config', file)).values()];

  expect(JSON.stringify(settings)).not.toContain('secret');
  expect(settings.find(({ key }) => key === 'databaseUrl')?.value).toBe('postgres://u:***@h/db');
});

test('what changed is told as it is written, and nothing else', () => {
  const before = { ...DEFAULT_SETTINGS, userAgent: 'Bot/1' };
  const after = { ...before, minGapMs: 2_500, pageBudget: 10, retryLadderMs: [] };

  expect(changedSettings(before, before)).toEqual([]);
  expect(changedSettings(before, after)).toEqual([
    { key: 'pages', from: 'none', to: '10' },
    { key: 'minGap', from: '1s', to: '2500ms' },
    { key: 'retries', from: '1h,6h,24h', to: 'none' },
  ]);
});
