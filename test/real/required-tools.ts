import { access } from 'node:fs/promises';
import { runCommand } from './run-command.ts';
import type { Tally } from './tally.ts';

export interface RequiredTools {
  readonly nginx: string;
  readonly wget: string;
  /** The folder of HTML pages that the package `git-doc` installed. */
  readonly htmlDir: string;
}

const LIMIT_MS = 30_000;

/** Finds what the checks need. What is missing is a failure that names it, never a skip. */
export async function requiredTools({ check }: Tally): Promise<RequiredTools | undefined> {
  const nginx = await check('nginx is there', () => onPath('nginx'));
  const wget = await check('wget is there', () => onPath('wget'));
  const htmlDir = await check('git-doc is there', htmlOfGitDoc);
  const warcio = await check("Python's warcio is there", hasWarcio);
  if (nginx === undefined || wget === undefined || htmlDir === undefined || warcio === undefined) {
    return undefined;
  }
  return { nginx, wget, htmlDir };
}

/** Servers live in `/usr/sbin`, which isn't on everybody's path. */
async function onPath(name: string): Promise<string> {
  const { code, stdout } = await runCommand(
    'sh',
    ['-c', 'PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v "$0"', name],
    { limitMs: LIMIT_MS },
  );
  if (code !== 0) throw new Error(`Missing: the Debian package ${name}`);
  return stdout.trim();
}

async function htmlOfGitDoc(): Promise<string> {
  const { stdout } = await runCommand('dpkg', ['-L', 'git-doc'], { limitMs: LIMIT_MS });
  const page = stdout.split('\n').find((path) => path.endsWith('/git-doc/git.html'));
  if (page === undefined) throw new Error('Missing: the Debian package git-doc');
  await access(page);
  return page.slice(0, -'/git.html'.length);
}

async function hasWarcio(): Promise<true> {
  const { code, output } = await runCommand('python3', ['-c', 'import warcio'], {
    limitMs: LIMIT_MS,
  });
  if (code !== 0) throw new Error(`Missing: the PyPI package warcio, for python3\n${output}`);
  return true;
}
