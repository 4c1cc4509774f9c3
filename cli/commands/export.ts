import { extname } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { exportFetches } from '../../db/export.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { EXPORT_FORMATS, exportWriter } from './export-format.ts';
import type { ExportFormat } from './export-format.ts';
import { fileSink, standardOutput } from './export-sink.ts';
import type { ExportSink } from './export-sink.ts';
import { crawlNamed } from './find-crawl.ts';
import type { CommandIo } from '../io.ts';
import { parseInstant, parseName, parseText } from '../settings/option-values.ts';
import { DEFAULT_CRAWL_NAME } from '../settings/options.ts';
import type { CommonFlags } from '../settings/options.ts';
import { counted } from '../views/quantities.ts';
import { requireCrawls, withSession } from '../session.ts';
import type { Session } from '../session.ts';
import { tallyLine } from '../views/tally-line.ts';

interface ExportFlags extends CommonFlags {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly force?: true;
  readonly since?: Date;
  readonly robots?: true;
}

/** `export [NAME]`: a crawl's fetch records as JSONL or CSV, also while it runs. */
export function exportCommand(io: CommandIo): Command {
  const command = newCommand('export', {
    description: 'Write the fetch records of a crawl, also while it runs: what was fetched so far.',
    examples: [
      ['decorum export docs | head -3', 'the first three, one JSON object a line'],
      ['decorum export docs --output pages.csv', 'a table; the file appears once it is whole'],
      ['decorum export docs --since 24h --robots', 'the last day, robots.txt files too'],
    ],
  })
    .argument('[name]', `the crawl (default: "${DEFAULT_CRAWL_NAME}")`, parseName)
    .addOption(
      new Option(
        '--format <format>',
        'jsonl or csv (default: csv if --output ends with .csv, else jsonl)',
      ).choices(EXPORT_FORMATS),
    )
    .option('--output <file>', 'write to this file, not to standard output', parseText)
    .option('--force', 'overwrite the file of --output')
    .option(
      '--since <when>',
      'only fetches of the last 24h, or since 2026-08-01T12:00Z',
      parseInstant,
    )
    .option('--robots', 'robots.txt files too; their "kind" is "robots", not "page"');
  return withCommonOptions(command).action(
    async (typed: string | undefined, flags: ExportFlags) => {
      const name = typed ?? flags.name ?? DEFAULT_CRAWL_NAME;
      const format = formatOf(flags);
      await requireCrawls(flags);
      // Opened before the servers are started, so that a bad place costs nothing.
      const file =
        flags.output === undefined ? undefined : await fileSink(flags.output, flags.force === true);
      try {
        io.ended(
          await withSession(flags, { need: 'database' }, io, async (session) => {
            const sink = file ?? standardOutput(io, session.interrupts.signal);
            return exportTo(sink, session, { name, format, flags }, io);
          }),
        );
      } finally {
        await file?.abandon();
      }
    },
  );
}

interface Order {
  readonly name: string;
  readonly format: ExportFormat;
  readonly flags: ExportFlags;
}

function formatOf({ format, output, json }: ExportFlags): ExportFormat {
  const isCsv = output !== undefined && extname(output).toLowerCase() === '.csv';
  const chosen = format ?? (isCsv ? 'csv' : 'jsonl');
  if (json === true && chosen === 'csv' && output === undefined) {
    throw new UsageError('--json and --format csv contradict each other: leave one out.');
  }
  return chosen;
}

async function exportTo(
  sink: ExportSink,
  session: Session,
  order: Order,
  io: CommandIo,
): Promise<ExitCode> {
  const rows = await pour(sink, session, order, io);
  if (io.readerGone.aborted) return EXIT.finished;
  if (session.interrupts.signal.aborted) {
    session.terminal.note(`interrupted after ${counted(rows, 'fetch', 'fetches')}`);
    return EXIT.interrupted;
  }
  await sink.finish();
  sayDone(session, order, rows);
  return EXIT.finished;
}

/** Writes all records, or as many as are wanted; gives how many. */
async function pour(
  sink: ExportSink,
  { db, interrupts }: Session,
  { name, format, flags }: Order,
  io: CommandIo,
): Promise<number> {
  const { crawlId, settings } = await crawlNamed(db, name);
  const { head, textOf } = exportWriter(format);
  // Beside records that scroll by on the same screen it would only be in the way.
  const isShown = flags.quiet !== true && (flags.output !== undefined || io.stdout.isTTY !== true);
  const tally = tallyLine(io.stderr, 'fetches', { isShown });
  let rows = 0;
  if (head !== '') await sink.write(head);
  const which = { crawlId, rules: settings, robots: flags.robots === true, since: flags.since };
  await exportFetches(db, which, async (batch) => {
    await sink.write(textOf(batch));
    rows += batch.length;
    tally.show(rows);
    return !interrupts.signal.aborted;
  });
  tally.erase();
  return rows;
}

function sayDone({ terminal }: Session, { name, format, flags }: Order, rows: number): void {
  const { output } = flags;
  if (output === undefined) return;
  if (flags.json === true) {
    terminal.print(JSON.stringify({ kind: 'exported', name, format, output, fetches: rows }));
  } else {
    terminal.print(`${counted(rows, 'fetch', 'fetches')} of "${name}" written to ${output}`);
  }
}
