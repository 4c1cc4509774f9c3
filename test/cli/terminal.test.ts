import { expect, test } from 'vitest';
import { harmless } from '../../cli/views/ansi.ts';
import { terminalOn } from '../../cli/views/terminal.ts';
import type { Screen } from '../../cli/views/terminal.ts';

class Paper implements Screen {
  readonly isTTY: boolean;
  readonly columns = 80;
  readonly rows = 5;
  readonly hasColors = (): boolean => this.isTTY;
  text = '';

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  readonly write = (text: string): void => {
    this.text += text;
  };
}

/** What a person sees: cursor-up and clear-to-end carried out. */
function seen(text: string): string {
  const lines: string[] = [''];

  for (const [piece, up] of text.matchAll(/\u001b\[(\d+)A\r\u001b\[J|\n|[^\n\u001b]+/g)) {
    if (up !== undefined) lines.splice(lines.length - 1 - Number(up), Infinity, '');
    else if (piece === '\n') lines.push('');
    else lines.push(`${lines.pop() ?? ''}${piece}`);
  }
  return lines.join('\n');
}

test('a drawing takes the place of the one before, however many lines either has', () => {
  const out = new Paper(true);
  const terminal = terminalOn(out, out);

  terminal.draw(['a', 'b', 'c']);
  terminal.draw(['d']);
  terminal.draw(['e', 'f']);

  expect(seen(out.text)).toBe('e\nf\n');
});

test('a remark stands above the drawing', () => {
  const out = new Paper(true);
  const terminal = terminalOn(out, out);

  terminal.draw(['a', 'b']);
  terminal.note('Postgres has died: starting it again');

  expect(seen(out.text)).toBe('Postgres has died: starting it again\na\nb\n');
});

test('a drawing that is taller than the window is cut, so that it can be erased', () => {
  const out = new Paper(true);
  const terminal = terminalOn(out, out);

  terminal.draw(['1', '2', '3', '4', '5', '6', '7']);
  expect(seen(out.text)).toBe('1\n2\n3\n4\n');
  terminal.erase();
  expect(seen(out.text)).toBe('');
});

test('a pipe gets results and no escape code; remarks go to standard error', () => {
  const out = new Paper(false);
  const err = new Paper(true);
  const terminal = terminalOn(out, err);

  terminal.print('result');
  terminal.note('remark');

  expect(out.text).toBe('result\n');
  expect(err.text).toBe('remark\n');
  expect(terminal).toMatchObject({ isLive: false, colours: false });
});

test('quiet drops remarks, not results', () => {
  const out = new Paper(false);
  const terminal = terminalOn(out, out, { quiet: true });

  terminal.print('result');
  terminal.note('remark');

  expect(out.text).toBe('result\n');
});

test('text from the web cannot move the cursor', () => {
  expect(harmless('a\u001b[2Jb\rc\u009bd')).toBe('a?[2Jb?c?d');
});
