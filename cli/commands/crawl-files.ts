import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crawlOfFile } from '../../store/file-name.ts';
import { markerOf } from '../../store/warc-file.ts';
import { dataFolderAt, readRecord } from '../../workers/data-folder.ts';
import { isAlive } from '../../workers/processes.ts';

/** A crawl's WARC files in a data folder, as paths; one that a worker may be writing is not to be removed. */
export interface CrawlFiles {
  readonly removable: readonly string[];
  readonly beingWritten: readonly string[];
}

/** Finds a crawl's WARC files by their names. */
export async function crawlFiles(dataDir: string, crawl: string): Promise<CrawlFiles> {
  const folder = dataFolderAt(dataDir);
  const isWorking = (readRecord(folder).workers ?? []).some(isAlive);
  const names = await readdir(folder.warc).catch((): string[] => []);
  const own = names.filter((name) => crawlOfFile(name) === crawl).sort();
  const isWritten = (name: string): boolean => isWorking && names.includes(markerOf(name));
  const path = (name: string): string => join(dataDir, 'warc', name);
  return {
    removable: own.filter((name) => !isWritten(name)).map(path),
    beingWritten: own.filter(isWritten).map(path),
  };
}

/** Removes WARC files, with what a killed worker left beside them; one that is gone already is as good. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await rm(path, { force: true });
    await rm(markerOf(path), { force: true });
  }
}
