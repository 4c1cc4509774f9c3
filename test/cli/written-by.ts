import { Readable } from 'node:stream';
import { newProgram } from '../../cli/program.ts';

/** What the command writes for these words, on a paper 100 columns wide; rejects as the command does. */
export async function writtenBy(...words: readonly string[]): Promise<string> {
  const paper = aPaper();
  await run(paper, words);
  return paper.text();
}

/** The same where the command leaves by an error once it has written, as it does after its help. */
export async function helpOf(...words: readonly string[]): Promise<string> {
  const paper = aPaper();
  await run(paper, [...words, '--help']).catch(() => undefined);
  return paper.text();
}

interface Paper {
  readonly columns: number;
  readonly write: (text: string) => void;
  readonly text: () => string;
}

function aPaper(): Paper {
  let written = '';
  return {
    columns: 100,
    write: (text) => {
      written += text;
    },
    text: () => written,
  };
}

async function run(paper: Paper, words: readonly string[]): Promise<void> {
  await newProgram({
    stdin: Readable.from([]),
    stdout: paper,
    stderr: paper,
    readerGone: new AbortController().signal,
    ended: () => undefined,
  }).parseAsync([...words], { from: 'user' });
}
