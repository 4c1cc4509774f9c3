import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';

import { loadConfig } from '../../workers/config.ts';
import { packageRoot } from '../../workers/package-root.ts';
import { findTemporalCli } from '../../workers/temporal-cli.ts';
import { textOf } from '../docs/pages.ts';
import type { TestWeb } from '../support/test-web.ts';
import { environment, type CommandRun } from './support/command-run.ts';
import { test, type Scene } from './support/scene.ts';

// The commands that a reader meets, page after page, each run by a shell as it stands there. Only the site is another:
// what the pages call example.com is served by the test web.

/** One block of a page. */
interface Block {
  readonly language: string;
  readonly body: string;
}

/** Exit codes that no reader would wonder at: done, and ended by the budget that the command names. */
const WELL = [0, 3];

/** Run by .ci/run, each on a clean clone: this test is a part of the second. */
const RUN_BY_CI = ['npm ci', 'npm test', 'npm run demo'];

const TWENTY_MINUTES_MS = 1_200_000;

test(
  'every command of the pages works as it stands there',
  { timeout: TWENTY_MINUTES_MS },
  async ({ scene }) => {
    const web = await scene.serve([
      { name: 'example.com', pages: 45, kind: 'good', linksTo: ['www.example.com'] },
      { name: 'www.example.com', pages: 5, kind: 'good', linksTo: ['example.com'] },
      { name: 'www.example.org', pages: 2, kind: 'good' },
    ]);
    const shell = await readersShell(scene.folder.path, web);
    const ci = textOf('.ci/run');

    const walk = async (page: string): Promise<void> => {
      for (const { language, body } of blocksOf(page)) {
        if (language === 'yaml') await shell.configure(`${page}: its YAML`, body);
        if (language !== 'sh') continue;
        for (const line of body.split('\n').filter((one) => one !== '')) {
          const isOfCi = line
            .replace(/#.*$/u, '')
            .split('&&')
            .every((part) => RUN_BY_CI.includes(part.trim()));
          if (isOfCi)
            for (const part of line.replace(/#.*$/u, '').split('&&'))
              expect(ci).toContain(part.trim());
          else {
            await keepServers(scene, shell);
            if (line.startsWith('temporal workflow signal')) await holdAHost(shell);
            await shell.run(`${page}: ${line}`, line);
          }
        }
      }
    };

    await walk('README.md');
    await walk('docs/getting-started.md');
    // What the page on running it takes for granted: crawls "docs" and "old", and a list of seeds.
    shell.write('urls.txt', `http://www.example.org:${web.port}/\nno seed\n`);
    for (const name of ['old', 'docs']) {
      const before = `npx decorum crawl https://example.com --name ${name} --pages 3 --detach`;
      await shell.run('before', before);
    }
    await walk('docs/operations.md');
    await walk('docs/configuration.md');
    expect(web.judge.verdict({ minGapMs: 20, gapFactor: 0 }).offences).toEqual([]);
  },
);

/** Servers that stay spare every command the start of its own; `stop --servers` ends these too. */
async function keepServers({ run }: Scene, shell: ReadersShell): Promise<void> {
  if (shell.servers?.hasExited() === false) return;
  shell.servers = run('up');
  await shell.servers.said('Ctrl-C');
}

/** A signal needs a host that has a workflow. */
async function holdAHost({ run }: ReadersShell): Promise<void> {
  await run('before', 'npx decorum pause www.example.com --why "a test"');
}

interface ReadersShell {
  servers: CommandRun | undefined;
  /** Writes `decorum.yaml`, checked as it stands there, and then with what leads to the site. */
  readonly configure: (where: string, body: string) => Promise<void>;
  readonly write: (name: string, content: string) => void;
  /** Runs one line; fails, with all that it said, unless it ends well. */
  readonly run: (where: string, line: string) => Promise<void>;
}

/** A shell in a folder of its own, whose data folder is the scene's. */
async function readersShell(dataFolder: string, web: TestWeb): Promise<ReadersShell> {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-reader-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  symlinkSync(dataFolder, join(folder, '.decorum'));
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const program = (name: string, command: string): void => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  const main = join(packageRoot(), 'dist', 'cli', 'main.js');
  program('npx', `shift; exec "${process.execPath}" "${main}" "$@"`);
  const cli = await findTemporalCli(() => undefined, loadConfig().surroundings);
  const port = `JSON.parse(fs.readFileSync('.decorum/servers.json')).ports.temporal`;
  program(
    'temporal',
    `TEMPORAL_ADDRESS="127.0.0.1:$("${process.execPath}" -p "${port}")" exec "${cli}" "$@"`,
  );

  const write = (name: string, content: string): void => {
    writeFileSync(join(folder, name), content);
  };
  const site = `dns: ${web.dnsServer}\nallowPrivate: true\nminGap: 20ms\ngapFactor: 0\n`;
  write('site.yaml', site);
  const run = async (where: string, line: string): Promise<void> => {
    const command = line.replaceAll(
      /https:\/\/((?:www\.)?example\.(?:com|org))/gu,
      `http://$1:${web.port}`,
    );
    const { code, output } = await shellCommand(command, folder, programs);
    expect({ where, code: WELL.includes(code ?? -1) ? 'well' : code, output }).toMatchObject({
      where,
      code: 'well',
    });
  };
  const configure = async (where: string, body: string): Promise<void> => {
    write('decorum.yaml', body);
    await run(where, 'npx decorum config --config decorum.yaml');
    write('decorum.yaml', `${body}${site}`);
  };
  return { configure, write, run, servers: undefined };
}

async function shellCommand(
  command: string,
  cwd: string,
  programs: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = environment();
  const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
    cwd,
    env: {
      ...env,
      PATH: `${programs}${delimiter}${env['PATH'] ?? ''}`,
      DECORUM_CONFIG: join(cwd, 'site.yaml'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const output = await text(child.stdout);
  return { code: await ended, output };
}

function blocksOf(page: string): readonly Block[] {
  return [...textOf(page).matchAll(/^```(\w+)\n([^]*?)^```/gmu)].map(
    ([, language = '', body = '']) => ({
      language,
      body,
    }),
  );
}
