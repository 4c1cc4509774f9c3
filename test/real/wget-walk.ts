import { join } from 'node:path';
import { MANUAL_HOSTS, type ManualHost } from './manual-hosts.ts';
import type { ManualSites } from './manual-sites.ts';
import { runCommand } from './run-command.ts';

const LIMIT_MS = 5 * 60_000;

/**
 * Has wget walk the manuals from the entry page: over all three hosts, as deep as links go, by `a[href]` only, and
 * whatever the suffix. Robots files it obeys by default. Decorum filters by suffix just as little, so neither needs a list.
 */
export async function walkWithWget(
  wget: string,
  sites: ManualSites,
  workDir: string,
): Promise<void> {
  const walk = ['-nv', '-r', '-l', 'inf', '--follow-tags=a', '-P', join(workDir, 'wget')];
  const scope = ['-H', '-D', MANUAL_HOSTS.map(({ host }) => host).join(',')];
  const wildcards = ['--reject-regex', MANUAL_HOSTS.map((one) => byWildcard(one, sites)).join('|')];
  // It can't look up names below `localhost`, so nginx is its proxy too: the same requests, to the same hosts.
  const proxy = ['-e', 'use_proxy=on', '-e', `http_proxy=http://127.0.0.1:${sites.port}/`];
  const args = [...walk, ...scope, ...wildcards, ...proxy, sites.entryUrl];
  const { code, output } = await runCommand(wget, args, { limitMs: LIMIT_MS });
  // 8: some link was answered by an error, which is the manual's own affair.
  if (code !== 0 && code !== 8) {
    throw new Error(`wget ended with ${String(code)}\n${output.slice(-2_000)}`);
  }
}

function byWildcard({ manual, byWildcard }: ManualHost, { origins }: ManualSites): string {
  return `^${origins[manual]}${byWildcard}`;
}
