import { describe, expect, test } from 'vitest';
import type { CommandIo } from '../../cli/io.ts';
import { newProgram } from '../../cli/program.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { firstColumn, sectionOf, textOf, trackedFiles } from './pages.ts';

const program = newProgram(nobody());
const pages = trackedFiles().filter((path) => path.endsWith('.md'));
const scripts = Object.keys(
  (JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> }).scripts,
);

describe('what the pages tell people to type', () => {
  test('npm scripts are there, and each is told of in CONTRIBUTING', () => {
    const told = pages.flatMap((page) =>
      [...textOf(page).matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script ?? ''),
    );
    expect(scripts).toEqual(expect.arrayContaining([...new Set(told)]));

    const listed = firstColumn(textOf('CONTRIBUTING.md')).map((cell) =>
      cell.replace(/^`npm (run )?|`$/g, ''),
    );
    // npm runs these two by itself.
    const typed = scripts.filter((script) => script !== 'prepare' && script !== 'pretest');
    expect([...listed].sort()).toEqual([...typed].sort());
  });

  test("decorum's commands and flags are there", () => {
    const options = new Map(
      program.commands.map((command) => [
        command.name(),
        command.options.flatMap(({ long }) => long ?? []).concat('--help'),
      ]),
    );
    for (const page of pages) {
      for (const [, command = '', rest = ''] of textOf(page).matchAll(
        /(?:npx |`)decorum ([a-z]+)([^`\n]*)/g,
      )) {
        if (command === 'help') continue;
        expect(options.has(command), `${page}: decorum ${command}`).toBe(true);
        for (const [flag] of rest.replace(/"[^"]*"/g, '').matchAll(/--[a-z-]+/g)) {
          expect(options.get(command), `${page}: decorum ${command} ${flag}`).toContain(flag);
        }
      }
    }
  });

  test('each command and flag of the help is in the page on running it', () => {
    const section = sectionOf('docs/operations.md', 'Commands');
    const commands = firstColumn(section).map((cell) => cell.replace(/^`decorum |`$/g, ''));
    expect([...commands].sort()).toEqual(
      [...program.commands.map((command) => command.name()), 'help'].sort(),
    );

    const crawl = program.commands.find((command) => command.name() === 'crawl');
    for (const { long } of crawl?.options ?? []) expect(section).toContain(long);
    const everyFlag = program.commands.flatMap(({ options }) => options.map(({ long }) => long));
    for (const [flag] of section.matchAll(/--[a-z][a-z0-9-]*/g)) {
      expect([...everyFlag, '--help']).toContain(flag);
    }
  });

  test('the exit codes are those of the program', () => {
    const told = firstColumn(sectionOf('docs/operations.md', 'Exit codes')).map(Number);
    expect(told).toEqual(Object.values(EXIT));
  });
});

function nobody(): CommandIo {
  const { stdin, stdout, stderr } = process;
  return {
    stdin,
    stdout,
    stderr,
    readerGone: new AbortController().signal,
    ended: () => undefined,
  };
}
