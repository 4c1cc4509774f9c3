import { expect, test } from 'vitest';
import { helpOf } from './written-by.ts';

const COMMANDS = [
  'crawl',
  'resume',
  'stop',
  'status',
  'why',
  'robots',
  'pause',
  'policy',
  'export',
  'seed',
  'doctor',
  'hosts',
  'bands',
  'reband',
  'exclude',
  'crawls',
  'up',
  'worker',
  'migrate',
  'config',
  'completion',
];

test('decorum --help', async () => {
  expect(await helpOf()).toMatchSnapshot();
});

test.each(COMMANDS)('decorum %s --help', async (command) => {
  expect(await helpOf(command)).toMatchSnapshot();
});

test.each(COMMANDS)(
  'the help of %s has examples, exit codes and no line that wraps',
  async (command) => {
    const help = await helpOf(command);

    expect(help).toContain(`  decorum ${command}`);
    expect(help).toContain('130  interrupted');
    expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  },
);
