import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkArchive, checkBodies, checkManners, checkPages } from './manual-checks.ts';
import { serveManual, type LoggedRequest, type ManualSite } from './manual-site.ts';
import { requiredTools, type RequiredTools } from './required-tools.ts';
import { runCommand, runWell } from './run-command.ts';
import { createTally, type Tally } from './tally.ts';

const CRAWL_LIMIT_MS = 20 * 60_000;
const WGET_LIMIT_MS = 5 * 60_000;
const MIN_GAP_MS = 100;

const DECORUM = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

const tally = createTally((line) => {
  console.log(line);
});
const workDir = await mkdtemp(join(tmpdir(), 'decorum-real-'));
await tally.check('every check could be made', async () => {
  const tools = await requiredTools(tally);
  if (tools === undefined) throw new Error('Not without what is missing');
  await checkManual(tools);
});
await rm(workDir, { recursive: true, force: true });
process.exitCode = tally.sumUp();

/** Crawls a real manual on a real web server, and holds the result against what `wget` and nginx say. */
async function checkManual(tools: RequiredTools): Promise<void> {
  const site = await serveManual(tools.nginx, tools.htmlDir, join(workDir, 'nginx'));
  try {
    const byWget = await requestsDuring(site, () => fetchWithWget(tally, tools, site));
    const byDecorum = await requestsDuring(site, () => crawl(tally, site));
    await checkManners(tally, byDecorum, MIN_GAP_MS);
    const responses = await checkArchive(tally, join(workDir, 'data'));
    await checkPages(tally, site.url, byWget, responses);
    await checkBodies(tally, tools.htmlDir, responses);
  } finally {
    await site.stop();
  }
}

/** What nginx was asked while something ran. */
async function requestsDuring(
  site: ManualSite,
  run: () => Promise<unknown>,
): Promise<readonly LoggedRequest[]> {
  const before = (await site.requests()).length;
  await run();
  return (await site.requests()).slice(before);
}

/** wget can't look up names below `localhost`, so nginx is its proxy too: the same requests, to the same host. */
async function fetchWithWget(tally: Tally, tools: RequiredTools, site: ManualSite): Promise<void> {
  const proxy = ['-e', 'use_proxy=on', '-e', `http_proxy=http://127.0.0.1:${site.port}/`];
  const recursion = ['-nv', '-r', '-l', 'inf', '-P', join(workDir, 'wget')];
  await tally.check('wget fetches the manual', async () => {
    const { code, output } = await runCommand(tools.wget, [...recursion, ...proxy, site.url], {
      limitMs: WGET_LIMIT_MS,
    });
    // 8: some link was answered by an error, which is the manual's own affair.
    if (code !== 0 && code !== 8) throw new Error(`wget ended with ${String(code)}\n${output}`);
  });
}

async function crawl(tally: Tally, site: ManualSite): Promise<void> {
  const place = ['--name', 'git-manual', '--data', join(workDir, 'data')];
  const manner = ['--min-gap', `${MIN_GAP_MS}ms`, '--gap-factor', '0', '--allow-private'];
  const args = ['crawl', site.url, '--scope', 'host', '--json', ...place, ...manner];
  await tally.check('decorum crawls the manual to its end', () =>
    runWell(process.execPath, [DECORUM, ...args], { limitMs: CRAWL_LIMIT_MS }),
  );
}
