import { relative } from 'node:path';
import { openServers } from '../../workers/open-servers.ts';
import type { Servers } from '../../workers/open-servers.ts';
import { listenForInterrupts } from '../../cli/interrupts.ts';
import { demoFolder, readRecord, writeRecord } from './demo-record.ts';
import { runDemoCrawl, untilEnter } from './demo-terminal.ts';
import { demoFindings, whatNext } from './demo-words.ts';
import { openDemoWeb, type DemoWeb } from './demo-web.ts';

// `npm run demo`: the main job of Decorum on a web of its own, with a judge who sees every request.

process.exitCode = await demo();

/** Crawls the bundled web and tells what came of it; 0 only where the crawl ended and the judge found nothing. */
async function demo(): Promise<number> {
  const interrupts = listenForInterrupts();
  const folder = demoFolder();
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const servers = await openServers({ dataDir: folder, need: 'everything', say });
  try {
    const web = await openDemoWeb(readRecord(folder));
    try {
      return interrupts.signal.aborted ? 130 : await crawlAndTell(folder, servers, web, interrupts);
    } finally {
      await web.close();
    }
  } finally {
    await servers.leave();
  }
}

async function crawlAndTell(
  folder: string,
  servers: Servers,
  web: DemoWeb,
  { signal }: { readonly signal: AbortSignal },
): Promise<number> {
  const { crawl, goesOn } = web;
  writeRecord(folder, { ...web.ports, crawl, underWay: true });
  console.log(
    goesOn
      ? `Going on with the crawl "${crawl}", which an earlier demo left unfinished.`
      : `A web of ${web.hosts} hosts on loopback; crawl "${crawl}" begins at ${web.seed}`,
  );
  const code = await runDemoCrawl({ folder, web });
  if (code === 0) writeRecord(folder, { ...web.ports, crawl, underWay: false });

  const findings = demoFindings(web, { ended: code === 0 });
  console.log(`\n${findings.line}`);
  for (const offence of findings.offences) console.log(`  ${offence}`);
  if (code !== 0) {
    if (code === 130) console.log('\nNothing is lost: "npm run demo" goes on with this crawl.');
    return code;
  }
  const shown = relative(process.cwd(), folder);
  console.log(whatNext({ folder: shown, uiUrl: servers.uiUrl, crawl, page: web.aPage }));
  await untilEnter(signal);
  return findings.isClean ? 0 : 1;
}
