import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runCommand } from './run-command.ts';
import type { Tally } from './tally.ts';

export type Manual = 'git' | 'postgresql' | 'python';

/** Where the package of each manual put its HTML. */
export type HtmlDirs = Readonly<Record<Manual, string>>;

export interface RequiredTools {
  readonly nginx: string;
  readonly wget: string;
  readonly htmlDirs: HtmlDirs;
}

const LIMIT_MS = 30_000;

/** Finds what the checks need. What is missing is a failure that names it, never a skip. */
export async function requiredTools({ check }: Tally): Promise<RequiredTools | undefined> {
  const nginx = await check('nginx is there', () => onPath('nginx'));
  const wget = await check('wget is there', () => onPath('wget'));
  const git = await check('git-doc is there', () => htmlOf(['git-doc'], '/git-doc/git.html'));
  const postgresql = await check('postgresql-doc is there', () =>
    htmlOf(['postgresql-doc', 'postgresql-doc-*'], '/html/index.html'),
  );
  const python = await check('python3-doc is there', () =>
    htmlOf(['python3-doc', 'python3.*-doc'], '/html/index.html'),
  );
  const warcio = await check("Python's warcio is there", hasWarcio);
  if (nginx === undefined || wget === undefined || warcio === undefined) return undefined;
  if (git === undefined || postgresql === undefined || python === undefined) return undefined;
  return { nginx, wget, htmlDirs: { git, postgresql, python } };
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

/**
 * The folder of a page that one of the packages brought: the first name is the one to install, the others are those
 * that it stands for in some Debian release.
 */
async function htmlOf(packages: readonly [string, ...string[]], page: string): Promise<string> {
  const { stdout: installed } = await runCommand(
    'dpkg-query',
    ['-W', '-f', '${Package}\\n', ...packages],
    { limitMs: LIMIT_MS },
  );
  const { stdout } = await runCommand('dpkg', ['-L', ...installed.trim().split('\n')], {
    limitMs: LIMIT_MS,
  });
  const found = stdout.split('\n').filter((path) => path.endsWith(page));
  const missing = `Missing: the Debian package ${packages[0]}, with its files below /usr/share/doc`;
  const newest = found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  if (newest === undefined) throw new Error(missing);
  await access(newest).catch((cause: unknown) => {
    throw new Error(missing, { cause });
  });
  return dirname(newest);
}

async function hasWarcio(): Promise<true> {
  const { code, output } = await runCommand('python3', ['-c', 'import warcio'], {
    limitMs: LIMIT_MS,
  });
  if (code !== 0) throw new Error(`Missing: the PyPI package warcio, for python3\n${output}`);
  return true;
}
