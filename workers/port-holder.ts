import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Who listens on a TCP port of this machine, as `pid 812 (nginx)`; `undefined` where that cannot be told. */
export function portHolder(port: number): string | undefined {
  const pid = process.platform === 'linux' ? pidOnLinux(port) : pidByLsof(port);
  return pid === undefined ? undefined : `pid ${pid}${nameOf(pid)}`;
}

function pidOnLinux(port: number): number | undefined {
  const inodes = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningInodes(table, port)),
  );
  if (inodes.size === 0) return undefined;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => socketsOf(pid).some((inode) => inodes.has(inode)));
  return found === undefined ? undefined : Number(found);
}

// proc(5): local address and port in hexadecimal, state 0A is LISTEN, the tenth column is the inode.
function listeningInodes(table: string, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return orElse(() => readFileSync(table, 'utf8'), '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(suffix) && state === '0A')
    .map((columns) => columns[9] ?? '');
}

function socketsOf(pid: string): readonly string[] {
  return orElse(() => readdirSync(`/proc/${pid}/fd`), []).flatMap((fd) => {
    const target = orElse(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '');
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
  });
}

function pidByLsof(port: number): number | undefined {
  const flags = ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'];
  const said = orElse(() => execFileSync('lsof', flags, { encoding: 'utf8', stdio: 'pipe' }), '');
  const pid = Number(said.trim().split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

function nameOf(pid: number): string {
  const name = orElse(
    () =>
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/comm`, 'utf8')
        : execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], {
            encoding: 'utf8',
            stdio: 'pipe',
          }),
    '',
  ).trim();
  return name === '' ? '' : ` (${name})`;
}

/** Processes come and go, and others' are not ours to look into. */
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
