import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCrawlWriter } from '../../store/crawl-writer.ts';
import { appendTo, type DiskFile, type WarcFile } from '../../store/warc-file.ts';
import { aFolder } from './warc-folder.ts';

const records = (text: string) => ({
  response: Buffer.from(text),
  request: Buffer.from('.'),
  recordId: '',
  digest: '',
});

/** A real file on disk, which counts its fsyncs and can be told to fail. */
async function aDisk() {
  const path = join(await aFolder(), 'file');
  const handle = await open(path, 'w+');
  const faults = { datasync: 0, truncate: 0 };
  let fsyncs = 0;

  const strike = (name: keyof typeof faults) => {
    if (faults[name] === 0) return;
    faults[name] -= 1;
    throw new Error(`no ${name} today`);
  };
  const disk: DiskFile = {
    write: handle.write.bind(handle),
    datasync: async () => {
      fsyncs += 1;
      await handle.datasync();
      strike('datasync');
    },
    truncate: async (lengthBytes) => {
      strike('truncate');
      await handle.truncate(lengthBytes);
    },
    close: () => handle.close(),
  };
  const text = async () => {
    const reader = await open(path);
    const content = await reader.readFile('utf8');
    await reader.close();
    return content;
  };
  return { disk, faults, text, fsyncs: () => fsyncs };
}

const fileOn = (disk: DiskFile): WarcFile => appendTo('file', disk, () => Promise.resolve());

describe('a crawl’s writer', () => {
  test('lets a hundred writers share a few fsyncs', async () => {
    const { disk, fsyncs } = await aDisk();
    const writer = createCrawlWriter(() => Promise.resolve(fileOn(disk)), 1_000_000);

    await Promise.all(Array.from({ length: 100 }, (_, n) => writer.append(records(`page ${n}`))));
    await writer.close();

    expect(fsyncs()).toBeLessThanOrEqual(2);
  });

  test('writes nothing of a batch whose fsync failed, tells its writers, and goes on', async () => {
    const { disk, faults, text } = await aDisk();
    const writer = createCrawlWriter(() => Promise.resolve(fileOn(disk)), 1_000_000);
    await writer.append(records('first'));

    faults.datasync = 1;
    const lost = await Promise.allSettled([
      writer.append(records('second')),
      writer.append(records('third')),
    ]);
    expect(lost.map(({ status }) => status)).toContain('rejected');
    await writer.append(records('fourth'));
    await writer.close();

    expect(await text()).not.toContain('second');
    expect(await text()).toMatch(/^first\..*fourth\.$/);
  });

  test('leaves a file whose tail could not be taken back, and opens another', async () => {
    const [broken, next] = [await aDisk(), await aDisk()];
    const marked = new Set(['broken', 'next']);
    const files = [
      appendTo('broken', broken.disk, () => Promise.resolve(void marked.delete('broken'))),
      appendTo('next', next.disk, () => Promise.resolve(void marked.delete('next'))),
    ];
    const writer = createCrawlWriter(() => Promise.resolve(files.shift() as WarcFile), 1_000_000);
    broken.faults.datasync = 1;
    broken.faults.truncate = 1;

    await expect(writer.append(records('first'))).rejects.toThrow("Can't write");
    expect((await writer.append(records('second'))).file).toBe('next');
    await writer.close();

    expect(marked).toEqual(new Set(['broken']));
  });

  test('tells a writer that no file can be made, and tries again for the next', async () => {
    const { disk } = await aDisk();
    let tries = 0;
    const writer = createCrawlWriter(() => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error('disk full')) : Promise.resolve(fileOn(disk));
    }, 1_000_000);

    await expect(writer.append(records('first'))).rejects.toThrow('disk full');
    await expect(writer.append(records('second'))).resolves.toMatchObject({ offset: 0 });
    await writer.close();
  });
});
