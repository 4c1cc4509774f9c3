import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from '../e2e/support/command-run.ts';
import { checkArchive, checkBodies, checkKept } from './archive-checks.ts';
import { checkManners } from './manners-checks.ts';
import { endWell, killAllOnce, MIN_GAP_MS, startCrawl } from './manual-crawl.ts';
import { MANUAL_HOSTS } from './manual-hosts.ts';
import { requestsTo, serveManuals, type LoggedRequest, type ManualSites } from './manual-sites.ts';
import { requiredTools, type RequiredTools } from './required-tools.ts';
import { createTally } from './tally.ts';
import { checkSameWalk, checkUndisturbedWalk } from './walk-checks.ts';
import { walkWithWget } from './wget-walk.ts';

/** Of some 2,000: all three hosts are under way, and the largest isn't half done. */
const REQUESTS_BEFORE_KILL = 800;

const tally = createTally((line) => {
  console.log(line);
});
const workDir = await mkdtemp(join(tmpdir(), 'decorum-real-'));
// The embedded Postgres may run under an account of its own.
await chmod(workDir, 0o755);
await tally.check('every check could be made', async () => {
  const tools = await requiredTools(tally);
  if (tools === undefined) throw new Error('Not without what is missing');
  await checkManuals(tools);
});
await rm(workDir, { recursive: true, force: true });
process.exitCode = tally.sumUp();

/** Crawls real manuals on a real web server, and holds the result against what `wget` and nginx say. */
async function checkManuals(tools: RequiredTools): Promise<void> {
  const sites = await serveManuals(tools.nginx, tools.htmlDirs, join(workDir, 'nginx'));
  try {
    const byWget = await requestsDuring(sites, () =>
      tally.check('wget walks the manuals', () => walkWithWget(tools.wget, sites, workDir)),
    );
    const byDecorum = await checkKilledCrawl(tools, sites);
    await checkSameWalk(tally, sites, byWget, byDecorum);
    await checkUndisturbedCrawl(sites, byDecorum);
  } finally {
    await sites.stop();
  }
}

/** One crawl over all hosts, killed in its middle and resumed; gives what it asked for. */
async function checkKilledCrawl(
  tools: RequiredTools,
  sites: ManualSites,
): Promise<readonly LoggedRequest[]> {
  const dataDir = join(workDir, 'all');
  let killedAtMs: number | undefined;
  const requests = await requestsDuring(sites, async () => {
    const seeds = [sites.entryUrl, `${sites.origins.postgresql}/`, `${sites.origins.python}/`];
    const before = (await sites.requests()).length;
    const crawl = startCrawl(seeds, dataDir);
    killedAtMs = await tally.check('kill -9 of command, supervisor, workers and servers', () =>
      killAllOnce(
        async () => (await sites.requests()).length - before >= REQUESTS_BEFORE_KILL,
        crawl,
        dataDir,
      ),
    );
    await tally.check('resume goes on to the end', () =>
      endWell(startCommand(['resume', '--json', '--data', dataDir])),
    );
  });
  const manners = { minGapMs: MIN_GAP_MS, ...(killedAtMs === undefined ? {} : { killedAtMs }) };
  await checkManners(tally, sites, requests, manners);
  const responses = await checkArchive(tally, dataDir);
  await checkKept(tally, requests, responses);
  await checkBodies(tally, sites, tools.htmlDirs, responses);
  await checkReasons(sites, dataDir);
  return requests;
}

/** Whether `why` names, for each rule of the robots files, that rule for a page that it kept away. */
async function checkReasons({ origins }: ManualSites, dataDir: string): Promise<void> {
  for (const { manual, kept } of MANUAL_HOSTS) {
    for (const { path, rule } of kept) {
      await tally.check(`why names the rule "${rule}" for ${path}`, async () => {
        const why = startCommand(['why', origins[manual] + path, '--data', dataDir]);
        await endWell(why);
        if (!why.output().includes(rule)) throw new Error(why.output());
      });
    }
  }
}

/** The smallest manual once more, from its entry page and left in peace. */
async function checkUndisturbedCrawl(
  sites: ManualSites,
  byKilledCrawl: readonly LoggedRequest[],
): Promise<void> {
  const git = MANUAL_HOSTS.filter(({ manual }) => manual === 'git');
  const requests = await requestsDuring(sites, () =>
    tally.check('decorum crawls one manual undisturbed', () =>
      endWell(startCrawl([sites.entryUrl], join(workDir, 'git'))),
    ),
  );
  await checkManners(tally, sites, requests, { minGapMs: MIN_GAP_MS });
  const killed = git.flatMap((host) => requestsTo(host, sites, byKilledCrawl));
  await checkUndisturbedWalk(tally, killed, requests);
}

/** What nginx was asked while something ran. */
async function requestsDuring(
  sites: ManualSites,
  run: () => Promise<unknown>,
): Promise<readonly LoggedRequest[]> {
  const before = (await sites.requests()).length;
  await run();
  return (await sites.requests()).slice(before);
}
