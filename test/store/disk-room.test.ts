import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freeBytesOf, refusalIn, trialWrite } from '../../store/disk-room.ts';
import { appendTo, type DiskFile } from '../../store/warc-file.ts';
import { aFolder } from './warc-folder.ts';

describe('a full disk', () => {
  test('is told from other faults, through the causes', async () => {
    const full = await open('/dev/full', 'w');
    const refused: unknown = await full.writeFile('x').catch((error: unknown) => error);
    await full.close();

    expect(refusalIn(new Error("Can't write", { cause: refused }))).toBe(refused);
    expect(refused).toMatchObject({ code: 'ENOSPC' });
    expect(refusalIn(new Error('a bug'))).toBeUndefined();
    expect(refusalIn(Object.assign(new Error('gone'), { code: 'EIO' }))).toBeUndefined();
  });

  test('leaves no broken record: what it took of one is cut off again', async () => {
    const path = join(await aFolder(), 'file');
    const [room, full] = [await open(path, 'w+'), await open('/dev/full', 'w')];
    const write = (bytes: Uint8Array, offset: number, length: number, position: number) =>
      position < 8
        ? room.write(bytes, offset, Math.min(length, 8 - position), position)
        : full.write(bytes, offset, length, null);
    const disk: DiskFile = {
      write: write as DiskFile['write'],
      datasync: () => room.datasync(),
      truncate: (lengthBytes) => room.truncate(lengthBytes),
      close: () => room.close(),
    };
    const file = appendTo('file', disk, () => Promise.resolve());
    await file.append(Buffer.from('whole'));

    const lost = file.append(Buffer.from('does not fit'));

    await expect(lost).rejects.toMatchObject({ cause: { code: 'ENOSPC' } });
    expect({ broken: file.isBroken(), size: file.sizeBytes() }).toEqual({ broken: false, size: 5 });
    expect((await room.stat()).size).toBe(5);
    await Promise.all([file.close(), full.close()]);
  });
});

test('a trial write needs room in the folder, and leaves nothing there', async () => {
  const dir = await aFolder();

  expect(await trialWrite(dir)).toBeUndefined();
  expect(await readdir(dir)).toEqual([]);
  expect(await freeBytesOf(dir)).toBeGreaterThan(0);
  await expect(trialWrite(join(dir, 'nowhere'))).rejects.toThrow('ENOENT');
});
