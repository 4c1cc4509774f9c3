import { DEFAULT_DATA_FOLDER } from './settings/options.ts';

/**
 * A command to type next, quoted for a POSIX shell, with the data folder where it is not the default one:
 * `decorum resume docs --data /srv/c`. Words in angle brackets are left for the person to fill in.
 */
export function hint(words: readonly string[], data: string): string {
  const folder = data === DEFAULT_DATA_FOLDER ? [] : ['--data', data];
  return ['decorum', ...words, ...folder].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^([\w@%+=:,./-]+|<[a-z]+>)$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
