import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../workers/package-root.ts';

/** What a demo leaves for the next one. */
export interface DemoRecord {
  readonly crawl: string;
  /** Whether the crawl was begun and has not ended; also after a kill. */
  readonly underWay: boolean;
  readonly webPort: number;
  readonly dnsPort: number;
}

/** The data folder of all demos, apart from that of the person's own crawls. */
export function demoFolder(): string {
  const folder = join(packageRoot(), '.decorum', 'demo');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The record of the last demo; `undefined` where there was none, or it cannot be read. */
export function readRecord(folder: string): DemoRecord | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(folder), 'utf8')) as DemoRecord;
  } catch {
    return undefined;
  }
}

export function writeRecord(folder: string, record: DemoRecord): void {
  writeFileSync(fileIn(folder), `${JSON.stringify(record)}\n`);
}

/** `demo-1`, then `demo-2` … */
export function nextCrawlName(last: string | undefined): string {
  const number = Number(/^demo-(\d+)$/.exec(last ?? '')?.[1] ?? 0);
  return `demo-${number + 1}`;
}

function fileIn(folder: string): string {
  return join(folder, 'demo.json');
}
