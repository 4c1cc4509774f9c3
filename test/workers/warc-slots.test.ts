import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDataFolder, type DataFolder } from '../../workers/data-folder.ts';
import { BadInput } from '../../workers/server-errors.ts';
import { recoverFolder, supervisedSlot, takeSlot } from '../../workers/warc-slots.ts';

test('workers on one folder have slots of their own, and one that was given back is taken again', async () => {
  const folder = aFolder();
  const [first, second] = [await takeSlot(folder), await takeSlot(folder)];
  expect(new Set([first.slot, second.slot, supervisedSlot(0)]).size).toBe(3);

  await first.release();
  const third = await takeSlot(folder);

  expect(third.slot).toBe(first.slot);
  await Promise.all([second.release(), third.release()]);
});

test('files of a living worker or of another machine are left to them, those of the dead are made whole', async () => {
  const folder = aFolder();
  const living = await takeSlot(folder);
  const dead = `${hostname()
    .replaceAll(/[^A-Za-z0-9]/gu, '')
    .slice(0, 40)}.7`;
  writeFileSync(lockOf(folder, dead), '{"pid":1,"startedAt":"never"}');
  writeFileSync(lockOf(folder, 'elsewhere.0'), '{"pid":1,"startedAt":"never"}');
  const slots = [living.slot, dead, 'elsewhere.0', supervisedSlot(3)];
  for (const slot of slots) writeFileSync(join(folder.warc, `${fileOf(slot)}.open`), '');

  await recoverFolder(folder);

  expect(readdirSync(folder.warc).sort()).toEqual(
    [living.slot, 'elsewhere.0'].map((slot) => `${fileOf(slot)}.open`).sort(),
  );
  await living.release();
});

test('a data folder that a file system refuses to hold is bad input', () => {
  const file = join(aFolder().path, 'file');
  writeFileSync(file, '');
  const places = [
    file,
    join(file, 'data'),
    ...(process.platform === 'linux' ? ['/proc/here'] : []),
  ];
  for (const place of places) expect(() => openDataFolder(place)).toThrow(BadInput);
});

function aFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), 'decorum-slots-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return openDataFolder(path);
}

function lockOf({ path }: DataFolder, slot: string): string {
  return join(path, `worker-${slot}.lock`);
}

function fileOf(slot: string): string {
  return `c-20260101000000000-${slot}-00001.warc.gz`;
}
