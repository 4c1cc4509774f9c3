import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { WARCParser } from 'warcio';

/** An empty folder that goes away with the test. */
export async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'decorum-store-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export interface SeenRecord {
  readonly type: string;
  readonly header: (name: string) => string | null | undefined;
  /** The stored block, HTTP head included. */
  readonly block: Buffer;
  readonly offset: number;
}

/** Every record of a WARC file, as warcio's own reader finds them. */
export async function recordsOf(path: string): Promise<readonly SeenRecord[]> {
  const parser = new WARCParser([await readFile(path)], { parseHttp: false });
  const records: SeenRecord[] = [];
  for await (const record of parser) {
    records.push({
      type: record.warcType,
      header: (name) => record.warcHeader(name),
      offset: parser.offset,
      block: Buffer.from(await record.readFully(false)),
    });
  }
  return records;
}
