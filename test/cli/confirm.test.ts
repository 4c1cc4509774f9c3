import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { canAsk, confirmed } from '../../cli/commands/confirm.ts';

interface Asked {
  readonly yes: boolean;
  readonly question: string;
}

async function ask(stdin: Readable, interrupted = new AbortController().signal): Promise<Asked> {
  let question = '';
  const stderr = {
    write: (text: string): void => {
      question += text;
    },
  };
  const io = {
    stdin,
    stdout: stderr,
    stderr,
    readerGone: new AbortController().signal,
    ended: () => undefined,
  };
  return { yes: await confirmed('Remove it?', io, interrupted), question };
}

test.each(['y\n', 'yes\n', ' YES \n', 'y'])('%j is a yes', async (typed) => {
  expect(await ask(Readable.from([typed]))).toEqual({ yes: true, question: 'Remove it? [y/N] ' });
});

test.each(['\n', 'n\n', 'no\n', 'yellow\n', 'n\ny\n', ''])('%j is none', async (typed) => {
  expect((await ask(Readable.from(typed === '' ? [] : [typed]))).yes).toBe(false);
});

test('an interrupt is a no, whenever it comes', async () => {
  const silent = new PassThrough();
  const interrupts = new AbortController();
  const answer = ask(silent, interrupts.signal);
  interrupts.abort();
  expect((await answer).yes).toBe(false);
  expect((await ask(new PassThrough(), interrupts.signal)).yes).toBe(false);
});

test('only a terminal to read from, with one to ask on, has a person behind it', () => {
  const terminal = { write: () => undefined, isTTY: true };
  const pipe = { write: () => undefined };
  const rest = { stdout: pipe, readerGone: new AbortController().signal, ended: () => undefined };
  const typed = Object.assign(Readable.from([]), { isTTY: true });

  expect(canAsk({ ...rest, stdin: typed, stderr: terminal })).toBe(true);
  expect(canAsk({ ...rest, stdin: Readable.from([]), stderr: terminal })).toBe(false);
  expect(canAsk({ ...rest, stdin: typed, stderr: pipe })).toBe(false);
});
