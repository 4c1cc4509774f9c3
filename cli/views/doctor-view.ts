import type { DeepFinding } from '../../workers/doctor/deep.ts';
import type { Finding } from '../../workers/doctor/finding.ts';
import { harmless, paint, type Look } from './ansi.ts';
import { counted } from './quantities.ts';

/** How many findings were of each kind. */
export interface Tally {
  readonly ok: number;
  readonly warnings: number;
  readonly faults: number;
}

/** Counts findings. */
export function tallyOf(findings: readonly Finding[]): Tally {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  return { ok: count('ok'), warnings: count('warning'), faults: count('fault') };
}

const LOOKS: Readonly<Record<Finding['state'], Look>> = {
  ok: 'green',
  warning: 'yellow',
  fault: 'red',
};

/** Columns of the verdict, and of the check's name. */
const VERDICT_WIDTH = 9;
const CHECK_WIDTH = 20;
/** On a narrower screen than this for the words, they begin on a line of their own. */
const LEAST_WORDS_WIDTH = 24;

/**
 * One finding, and below it what to do about it.
 *
 * @param width columns; infinite where nothing is to be wrapped.
 */
export function findingLines(
  { state, check, found, remedy }: Finding,
  { width, colours }: { readonly width: number; readonly colours: boolean },
): readonly string[] {
  const indent = VERDICT_WIDTH + CHECK_WIDTH;
  const isNarrow = width - indent < LEAST_WORDS_WIDTH;
  const margin = isNarrow ? 2 : indent;
  const told = [
    ...wrapped(harmless(found), width - margin),
    ...(remedy === null ? [] : wrapped(harmless(`remedy: ${remedy}`), width - margin)),
  ];
  const verdict = paint({ text: state.padEnd(VERDICT_WIDTH), look: LOOKS[state] }, colours);
  const head = `${verdict}${isNarrow ? check : check.padEnd(CHECK_WIDTH)}`;
  const body = told.map((line) => `${' '.repeat(margin)}${line}`);
  return isNarrow ? [head, ...body] : [head + (told[0] ?? ''), ...body.slice(1)];
}

/** One finding as a JSON object on one line; a comparison of rows has its numbers too. */
export function findingJson(finding: Finding | DeepFinding): string {
  const { check, state, found, remedy } = finding;
  const comparison = 'comparison' in finding ? finding.comparison : null;
  const numbers =
    comparison === null
      ? {}
      : {
          compared: comparison.compared,
          wrong: comparison.wrong,
          examples: comparison.examples,
        };
  return JSON.stringify({ kind: 'finding', check, state, found, remedy, ...numbers });
}

/** The last line. */
export function tallyLine({ ok, warnings, faults }: Tally): string {
  return `${ok} ok, ${counted(warnings, 'warning')}, ${counted(faults, 'fault')}`;
}

/** Breaks between words; a word longer than a line stays whole. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
