import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Surroundings } from './config.ts';

/** An order for one Temporal command line, put whole at `target` or not at all. */
export interface TemporalOrder {
  readonly version: string;
  readonly target: string;
  readonly say: (line: string) => void;
  readonly surroundings: Surroundings;
}

/** How long the server of the download may take to begin, and to send each next part. */
const PATIENCE_MS = 5_000;

/** Fetches the official release; gives up within 5 s where there is no network. */
export async function downloadTemporal({ version, target, say }: TemporalOrder): Promise<void> {
  const url = addressOf(version);
  say(`downloading Temporal ${version} from ${url.host}`);
  const draft = `${target}.download.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    const archive = join(draft, 'archive.tar.gz');
    await fetchTo(url, archive);
    await promisify(execFile)('tar', ['-xzf', archive, '-C', draft]);
    await rename(join(draft, basename(target)), target);
  } catch (cause) {
    throw new Error(`the download from ${url.host} failed (${reasonOf(cause)})`, { cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function addressOf(version: string): URL {
  const url = new URL(`https://temporal.download/cli/archive/v${version}`);
  url.searchParams.set('platform', process.platform === 'win32' ? 'windows' : process.platform);
  url.searchParams.set('arch', process.arch === 'x64' ? 'amd64' : process.arch);
  return url;
}

async function fetchTo(url: URL, path: string): Promise<void> {
  const silence = new AbortController();
  const giveUp = (): void => {
    silence.abort(new Error(`no answer for ${PATIENCE_MS / 1000} s`));
  };
  let timer = setTimeout(giveUp, PATIENCE_MS);
  try {
    const response = await fetch(url, { signal: silence.signal });
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    await mkdir(dirname(path), { recursive: true });
    const watch = new Transform({
      transform(chunk: Buffer, _encoding, done): void {
        clearTimeout(timer);
        timer = setTimeout(giveUp, PATIENCE_MS);
        done(undefined, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body), watch, createWriteStream(path));
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch hides why it failed in the cause.
  return error.cause instanceof Error ? error.cause.message : error.message;
}
