import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../workers/package-root.ts';

/** A file of the repository, as text. */
export function textOf(path: string): string {
  return readFileSync(join(packageRoot(), path), 'utf8');
}

/** The files that git keeps or is about to keep. */
export function trackedFiles(): readonly string[] {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  return execFileSync('git', listed, { cwd: packageRoot(), encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '');
}

/** The text from one heading to the next of its level or above. */
export function sectionOf(page: string, heading: string): string {
  const lines = textOf(page).split('\n');
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && /^#/.test(line));
  if (start < 0) throw new Error(`${page} has no heading "${heading}"`);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}

/** The cells of the first column of a section's table, its head left out, code marks taken off. */
export function firstColumn(section: string): readonly string[] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => (line.split('|')[1] ?? '').trim());
}

/** Each word in code marks. */
export function codeWords(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');
}

/** The string literals of a type of this name in a source text. */
export function literalsOf(source: string, type: string): readonly string[] {
  const declared = new RegExp(`export type ${type} =([^;]+);`).exec(source)?.[1];
  if (declared === undefined) throw new Error(`There is no type ${type}`);
  return [...declared.matchAll(/['`]([^'`]+)['`]/g)].map(([, word = '']) =>
    word.replace('${string}', '…'),
  );
}

/** The rows of a section's tables, cell by cell; without the heads, and of all tables but those that `head` doesn't begin. */
export function rowsOf(section: string, head: string): readonly (readonly string[])[] {
  const lines = section.split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => cellsOf(line)[0] === head);
  if (start < 0) throw new Error(`There is no table "${head}"`);
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end < 0 ? undefined : end).map(cellsOf);
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
