import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Gives the addresses that the machine's hosts file has for a name in lower case; none where it has none. */
export type HostsFile = (name: string) => Promise<readonly string[]>;

/** The hosts file of this machine, as its own resolver reads it. */
export const SYSTEM_HOSTS_FILE =
  process.platform === 'win32' ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts';

/**
 * A hosts file, read when first asked and again whenever it has changed. `getaddrinfo` would read it too, but ask the
 * name servers again for a name that they don't know, with every suffix of the machine's search list; and then a link to
 * any name could end at a host of that domain. A file that can't be read has no names.
 */
export function hostsFile(path: string): HostsFile {
  let state = '';
  let names: ReadonlyMap<string, readonly string[]> = new Map();
  return async (name) => {
    const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: 0 }));
    const found = `${mtimeMs} ${size}`;
    if (found !== state) {
      names = size === 0 ? new Map() : parseHosts(await readFile(path, 'utf8').catch(() => ''));
      state = found;
    }
    return names.get(name) ?? [];
  };
}

/** Names in lower case and their addresses, IPv4 first. What can't be read is passed over. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...hosts] = line.replace(/#.*/u, '').trim().split(/\s+/u);
    if (isIP(address) === 0) continue;
    for (const host of hosts) {
      const name = host.toLowerCase().replace(/\.$/u, '');
      const known = names.get(name);
      if (known === undefined) names.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  for (const addresses of names.values()) addresses.sort((one, other) => isIP(one) - isIP(other));
  return names;
}
