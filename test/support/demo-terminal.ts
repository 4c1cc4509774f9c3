import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../workers/package-root.ts';
import type { DemoWeb } from './demo-web.ts';

/**
 * Runs the built `decorum crawl` on the demo's web, its output on our terminal. A Ctrl-C there reaches it by itself.
 *
 * @returns its exit code; 130 where a signal ended it.
 */
export async function runDemoCrawl({
  folder,
  web,
}: {
  readonly folder: string;
  readonly web: DemoWeb;
}): Promise<number> {
  const command = join(packageRoot(), 'dist', 'cli', 'main.js');
  const where = ['--name', web.crawl, '--data', folder];
  const how = ['--scope', 'any', '--dns', web.dnsServer, '--allow-private'];
  const child = spawn(process.execPath, [command, 'crawl', web.seed, ...where, ...how], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 130;
}

/** Keeps the servers up while a person looks, until Enter or Ctrl-C; returns at once where nobody types. */
export async function untilEnter(interrupted: AbortSignal): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY || interrupted.aborted) return;
  process.stdout.write('\nThe servers stay up while you look. Press Enter to stop them. ');
  const lines = createInterface({ input: process.stdin });
  try {
    await Promise.race([once(lines, 'line'), once(lines, 'close'), once(interrupted, 'abort')]);
  } finally {
    lines.close();
  }
}
