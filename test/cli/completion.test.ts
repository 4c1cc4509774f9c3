import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writtenBy } from './written-by.ts';

/** What a real bash offers for the last of these words. */
async function offered(...words: string[]): Promise<readonly string[]> {
  const typed = ['decorum', ...words].map((word) => `'${word}'`).join(' ');
  const asking = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _decorum; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${await writtenBy('completion', 'bash')}\n${asking}`;
  const said = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  return said.split('\n').filter((word) => word !== '');
}

test('bash completes commands, flags and choices', async () => {
  expect(await offered('cr')).toEqual(['crawl', 'crawls']);
  expect(await offered('crawl', '--min-')).toEqual(['--min-gap', '--min-free']);
  expect(await offered('crawl', '--scope', '')).toEqual(['host', 'domain', 'prefix', 'any']);
  expect(await offered('completion', 'f')).toEqual(['fish']);
  expect(await offered('crawl', '--pages', '')).toEqual([]);
  expect(await offered('config', '--data', 'doc')).toEqual(['docs']);
});

test('zsh uses the same function through its adapter', async () => {
  const script = await writtenBy('completion', 'zsh');
  expect(script).toMatch(/^#compdef decorum\n/);
  expect(script).toContain('bashcompinit\n_decorum() {');
});

test('fish has a line for each command, flag and choice', async () => {
  const script = await writtenBy('completion', 'fish');
  expect(script).toMatch(/^complete -c decorum -f -n __fish_use_subcommand -a crawl -d '.+'$/m);
  expect(script).toMatch(
    /^complete -c decorum -n '__fish_seen_subcommand_from crawl' -l scope -x -a 'host domain prefix any' -d '.+'$/m,
  );
  for (const line of script.trim().split('\n').slice(1)) {
    expect(line.replace(/\\'/g, '').split("'").length % 2, line).toBe(1);
  }
});
