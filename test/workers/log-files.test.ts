import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { boundLogs, rotatedLog } from '../../workers/log-files.ts';

test('a short log goes on; a long one steps back, and three old ones are kept', () => {
  const folder = aFolder();
  writeFileSync(rotatedLog(folder, 'it'), 'short');
  expect(readFileSync(rotatedLog(folder, 'it'), 'utf8')).toBe('short');

  for (let run = 1; run <= 6; run += 1) {
    writeFileSync(rotatedLog(folder, 'it'), String(run).repeat(1_000_001));
  }
  writeFileSync(rotatedLog(folder, 'it'), 'now');

  expect(readdirSync(folder).sort()).toEqual(['it.1.log', 'it.2.log', 'it.3.log', 'it.log']);
  expect(readFileSync(join(folder, 'it.1.log'), 'utf8')[0]).toBe('6');
});

test('a log that grows too long while it is written is cut, its text kept beside it', () => {
  const folder = aFolder();
  writeFileSync(join(folder, 'it.log'), Buffer.alloc(20_000_001));
  writeFileSync(join(folder, 'other.log'), 'short');

  boundLogs(folder);

  expect(statSync(join(folder, 'it.log')).size).toBe(0);
  expect(statSync(join(folder, 'it.1.log')).size).toBe(20_000_001);
  expect(readFileSync(join(folder, 'other.log'), 'utf8')).toBe('short');
});

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-logs-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
