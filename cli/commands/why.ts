import type { Command } from 'commander';
import { listCrawls } from '../../db/crawls.ts';
import { explainHost, explainUrl } from '../../db/explain.ts';
import { leftOutOfHost, type LeftOutCounts } from '../../db/left-out.ts';
import type { Db } from '../../db/pool.ts';
import { hostKeyOf } from '../../domain/host-key.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { hostLines, urlLines } from '../views/explanation-view.ts';
import { parseSubject } from './host-argument.ts';
import type { Subject } from './host-argument.ts';
import type { CommandIo } from '../io.ts';
import { parseName } from '../settings/option-values.ts';
import type { CommonFlags } from '../settings/options.ts';
import { counted } from '../views/quantities.ts';
import { ruleOn } from '../views/rule-on-url.ts';
import { requireCrawls, withSession } from '../session.ts';
import { prioritizerAt } from '../../workers/prioritizers.ts';

interface WhyFlags extends CommonFlags {
  readonly name?: string;
}

/** `why URL|HOST`: the state, the reason and the next time, in one screen (R45). */
export function whyCommand(io: CommandIo): Command {
  const command = newCommand('why', {
    description: 'Explain a URL or a host: its state, the reason, and when it goes on.',
    examples: [
      ['decorum why https://www.example.com/about', 'one URL'],
      ['decorum why www.example.com', 'one host'],
    ],
  })
    .argument('<url or host>', 'what to explain', parseSubject)
    .option(
      '--name <crawl>',
      'the crawl to look in; without it, the latest that knows the URL',
      parseName,
    );
  return withCommonOptions(command).action(async (subject: Subject, flags: WhyFlags) => {
    await requireCrawls(flags);
    await withSession(flags, { need: 'database' }, io, async ({ db, terminal }) => {
      const { found, lines } = await explain(db, subject, flags.name);
      if (flags.json === true) terminal.print(JSON.stringify({ kind: subject.kind, ...found }));
      else lines.forEach(terminal.print);
    });
    io.ended(EXIT.finished);
  });
}

async function explain(
  db: Db,
  subject: Subject,
  name: string | undefined,
): Promise<{ readonly found: object; readonly lines: readonly string[] }> {
  if (subject.kind === 'host') {
    const found = await explainHost(db, subject.host);
    if (found !== undefined) return { found, lines: hostLines(found, Date.now()) };
    throw new UsageError(`No crawl here knows the host "${subject.host}".`);
  }
  const found = await explainUrl(db, subject.url, {
    crawlName: name,
    prioritizerFor: prioritizerAt,
  });
  if (found !== undefined) return { found, lines: urlLines(found, Date.now()) };
  throw new UsageError(await whyUnknown(db, subject.url, name));
}

/** A URL that no crawl has: each crawl's own rules say whether it would take it. */
async function whyUnknown(db: Db, url: RequestUrl, name: string | undefined): Promise<string> {
  const crawls = (await listCrawls(db)).filter(
    (crawl) => name === undefined || crawl.name === name,
  );
  const nowMs = Date.now();
  const reasons: string[] = [];
  for (const crawl of crawls) {
    const lost = lostLinks(await leftOutOfHost(db, hostKeyOf(url), crawl.crawlId));
    reasons.push(`crawl "${crawl.name}" ${ruleOn(url, crawl.settings, nowMs)}${lost}`);
  }
  return `No crawl here knows the URL "${url}": ${reasons.join('; ')}.`;
}

/** Links that the URL's own rules would have let in, and its host's room did not. */
function lostLinks({ hostQueue = 0 }: LeftOutCounts): string {
  return hostQueue === 0
    ? ''
    : `; ${counted(hostQueue, 'link')} to its host were left out as its queue was full`;
}
