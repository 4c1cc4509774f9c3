/** What a WARC file's name tells. */
export interface WarcFileName {
  readonly crawl: string;
  readonly createdAt: Date;
  /** The writing process's own name among those that share the folder. */
  readonly slot: string;
  /** Counts the files of one process, from 1. */
  readonly serial: number;
}

/** `<crawl>-<UTC time to the millisecond>-<slot>-<serial>.warc.gz`, with nothing in it that a file system minds. */
export function warcFileName({ crawl, createdAt, slot, serial }: WarcFileName): string {
  const time = createdAt.toISOString().replace(/\D/g, '');
  return `${safe(crawl)}-${time}-${slot}-${String(serial).padStart(5, '0')}.warc.gz`;
}

/** The slot that a file was written by; `undefined` for a name that isn't one of ours. */
export function slotOfFile(name: string): string | undefined {
  return /^.*-\d{17}-(.+)-\d{5,}\.warc\.gz$/.exec(name)?.[1];
}

/** The crawl in a file's name; `undefined` for a name that isn't one of ours. */
export function crawlOfFile(name: string): string | undefined {
  return /^(.*)-\d{17}-.+-\d{5,}\.warc\.gz$/.exec(name)?.[1];
}

/** Whether a name may be a slot: it must come back out of a file name as it went in. */
export function isSlot(slot: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(slot) && !/-\d{17}-/.test(`-${slot}-`);
}

/** The crawl's full name stands in the warcinfo record; here it is for people's eyes. */
function safe(crawl: string): string {
  return crawl
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^\./, '_')
    .slice(0, 100);
}
