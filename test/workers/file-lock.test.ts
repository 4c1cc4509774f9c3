import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holderOf, takeLock } from '../../workers/file-lock.ts';
import { identify } from '../../workers/processes.ts';

test('a lock is held until its holder lets go', async () => {
  const path = aLockPath();
  const first = await takeLock(path);

  expect(await takeLock(path)).toMatchObject({ kind: 'held', by: { pid: process.pid } });
  if (first.kind === 'ours') await first.release();

  expect(await takeLock(path)).toMatchObject({ kind: 'ours' });
});

test.each([
  ['names a process that is gone', { pid: 2 ** 22 + 1, startedAt: 'once' }],
  ['names a pid that belongs to another process by now', { pid: process.pid, startedAt: 'once' }],
  ['says nothing that can be read', undefined],
])('a lock that %s is taken over', async (_what, left) => {
  const path = aLockPath();
  writeFileSync(path, left === undefined ? '' : JSON.stringify(left));

  expect(await takeLock(path)).toMatchObject({ kind: 'ours' });
  expect(await holderOf(path)).toEqual(identify(process.pid));
});

test('a lock whose living holder is another process is not broken', async () => {
  const path = aLockPath();
  const other = spawn('sleep', ['60']);
  onTestFinished(() => void other.kill());
  writeFileSync(path, JSON.stringify(identify(other.pid ?? 0)));

  expect(await takeLock(path)).toMatchObject({ kind: 'held', by: { pid: other.pid } });
});

test('of twenty that find a stale lock at once, one gets it, and nothing is left lying about', async () => {
  for (let round = 0; round < 50; round += 1) {
    const path = aLockPath();
    writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: 'once' }));

    const answers = await Promise.all(Array.from({ length: 20 }, () => takeLock(path)));

    expect(answers.filter(({ kind }) => kind === 'ours')).toHaveLength(1);
    expect(readdirSync(join(path, '..'))).toEqual(['it.lock']);
  }
});

test('a lock whose heir died before it was taken over is inherited in its turn', async () => {
  const path = aLockPath();
  const will = `${path}.after-${willNameOf({ pid: 2 ** 22 + 2, startedAt: 'once' })}`;
  writeFileSync(will, JSON.stringify({ pid: 2 ** 22 + 3, startedAt: 'once' }));
  writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 2, startedAt: 'once' }));

  expect(await takeLock(path)).toMatchObject({ kind: 'ours' });
  expect(await holderOf(path)).toEqual(identify(process.pid));
  expect(readdirSync(join(path, '..'))).toEqual(['it.lock']);
});

function willNameOf(holder: { readonly pid: number; readonly startedAt: string }): string {
  return createHash('sha256').update(JSON.stringify(holder)).digest('hex').slice(0, 12);
}

function aLockPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-lock-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, 'it.lock');
}
