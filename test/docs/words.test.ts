import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commonOptions } from '../../cli/settings/options.ts';
import { packageRoot } from '../../workers/package-root.ts';
import { codeWords, firstColumn, literalsOf, sectionOf, textOf, trackedFiles } from './pages.ts';

describe('the words of the pages are those of the code', () => {
  const outcome = textOf('domain/outcome.ts');
  test.each([
    ['Why a fetch failed', 'FailureReason'],
    ['Which rule excluded a URL', 'ExclusionRule'],
    ['Why a URL is dead', 'DeadReason'],
    ['What is said of a page beside its status', 'PageRemark'],
  ])('%s', (heading, type) => {
    const told = firstColumn(sectionOf('docs/failures.md', heading)).map((cell) =>
      cell.replaceAll('`', ''),
    );
    expect([...told].sort()).toEqual([...literalsOf(outcome, type)].sort());
  });

  test('outcomes are those that progress counts', () => {
    const told = firstColumn(sectionOf('docs/failures.md', 'Outcomes'));
    const counted = codeWords(
      /of fetches and decisions by outcome: (.*)\. \*\//.exec(textOf('domain/progress.ts'))?.[1] ??
        '',
    );
    expect([...told].sort()).toEqual([...counted].sort());
  });

  test('environment variables are those that are read', () => {
    const told = new Set(
      firstColumn(sectionOf('docs/operations.md', 'Environment')).flatMap(codeWords),
    );
    const schema = /z\.object\(\{([^]*?)\n\}\)/.exec(textOf('workers/config.ts'))?.[1] ?? '';
    const read = [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name ?? '');
    expect(read.length).toBeGreaterThan(5);
    // Those of Temporal's own conventions are read by its library.
    const ours = [...told].filter((name) => !/^TEMPORAL_(?!CLI)/.test(name));
    // commander reads the one of a flag.
    const ofFlags = commonOptions().flatMap(({ envVar }) => envVar ?? []);
    expect(ours.sort()).toEqual([...read, ...ofFlags].sort());
  });

  test('signals and queries of a host are told of', () => {
    const page = textOf('docs/operations.md');
    for (const word of ['pause', 'resume', 'drain', 'refresh', 'inspect']) {
      expect(textOf('workflows/messages.ts')).toMatch(new RegExp(`<?.*>?\\('${word}'\\)`));
      expect(page).toContain(word);
    }
  });

  test('rooms are the folders that have code', () => {
    const told = firstColumn(sectionOf('ARCHITECTURE.md', 'Rooms')).map((cell) =>
      cell.replace(/[`/]/g, ''),
    );
    const folders = new Set(
      trackedFiles()
        .filter((path) => path.includes('/') && !path.startsWith('.'))
        .map((path) => path.split('/')[0]),
    );
    expect([...told].sort()).toEqual([...folders].filter((folder) => folder !== 'docs').sort());
  });

  test('files that the pages name are there', () => {
    const files = new Set(trackedFiles());
    for (const page of trackedFiles().filter((path) => path.endsWith('.md'))) {
      for (const word of codeWords(textOf(page))) {
        if (/^[\w.-]+(\/[\w.-]+)+\.(ts|js|md|sql)$/.test(word)) {
          expect(files.has(word) || word.includes('/NNNN'), `${page}: ${word}`).toBe(true);
        }
      }
    }
  });

  test('code words of the glossary are in the code', () => {
    const code = trackedFiles()
      .filter((path) =>
        /^(domain|db|web|activities|workflows|workers|migrations|test\/support)\//.test(path),
      )
      .map(textOf)
      .join('\n');
    const rows = textOf('docs/glossary.md')
      .split('\n')
      .filter((line) => line.startsWith('|'));
    const words = rows.slice(2).flatMap((row) => codeWords(row.split('|')[3] ?? ''));
    expect(words.length).toBeGreaterThan(30);
    for (const word of words) expect(code, word).toContain(word);
  });
});

describe('decision records', () => {
  const names = readdirSync(join(packageRoot(), 'docs', 'adr')).sort();

  test('are numbered without a gap, in name and title', () => {
    names.forEach((name, index) => {
      const number = index + 1;
      expect(name).toMatch(new RegExp(`^${String(number).padStart(4, '0')}-[a-z0-9-]+\\.md$`));
      expect(textOf(`docs/adr/${name}`)).toMatch(new RegExp(`^# ${number}\\. [A-Za-z]`));
    });
  });

  test.each(names)('%s has context, decision and consequences', (name) => {
    for (const part of ['Context', 'Decision', 'Consequences']) {
      expect(textOf(`docs/adr/${name}`)).toContain(`**${part}.**`);
    }
  });
});
