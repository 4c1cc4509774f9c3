import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { LineCounter, isMap, isScalar, parseDocument } from 'yaml';
import type { Document, YAMLMap } from 'yaml';
import { z } from 'zod';
import { FaultsInFile, UsageError } from '../errors.ts';
import { nearest } from '../near-word.ts';
import { SETTINGS } from './setting-table.ts';
import type { Setting } from './setting-table.ts';

/** A value from a configuration file, as a flag would give it, and where it stands. */
export interface FileValue {
  readonly value: unknown;
  /** `decorum.yaml:3` */
  readonly where: string;
}

/**
 * Reads a configuration file: YAML, one `key: value` a line, each value written as for its flag.
 *
 * @throws UsageError that lists everything that is wrong, with its line.
 */
export function readConfigFile(file: string): ReadonlyMap<string, FileValue> {
  const { document, map, lineOf } = parse(file, textOf(file));
  const lines = keyLines(map, lineOf);
  const lineAt = (key: string): number => lines.get(key) ?? 1;
  const checked = schemaFor(file).safeParse(valuesOf(document, file));
  if (!checked.success) {
    const faults = checked.error.issues.flatMap((issue) => faultsOf(issue, lineAt));
    throw faultsIn(file, faults);
  }
  return new Map(
    Object.entries(checked.data).map(([key, value]) => [
      key,
      { value, where: `${file}:${lineAt(key)}` },
    ]),
  );
}

interface Fault {
  readonly line: number;
  readonly message: string;
}

const MOST_BYTES = 1_000_000;

function textOf(file: string): string {
  try {
    // Before it is read, as it may be anything.
    if (statSync(file).size > MOST_BYTES) throw new UsageError('it is larger than 1 MB');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    if (text.includes('\0')) throw new UsageError('it is binary, not YAML');
    return text;
  } catch (error) {
    throw new UsageError(
      `The configuration file "${file}" cannot be read: ${reasonOf(error)}. Give another --config.`,
      { cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is none';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
      return 'you may not read it';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'it is no text in UTF-8';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

interface Parsed {
  readonly document: Document;
  readonly map: YAMLMap;
  readonly lineOf: (offset: number) => number;
}

function parse(file: string, text: string): Parsed {
  const lineCounter = new LineCounter();
  const lineOf = (offset: number): number => lineCounter.linePos(offset).line;
  // By this schema every value is its text, so that `1e9` or `0x10` mean what they mean on the command line.
  const document = parseDocument(text, { schema: 'failsafe', lineCounter, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ code, message, pos }) => ({
      line: lineOf(pos[0]),
      message: SYNTAX_FAULTS[code] ?? `no YAML: ${message}`,
    }));
    throw faultsIn(file, faults);
  }
  const { contents } = document;
  if (isMap(contents)) return { document, map: contents, lineOf };
  const isEmpty = contents === null || (isScalar(contents) && contents.value === '');
  throw new UsageError(
    isEmpty
      ? `The configuration file "${file}" has no settings: write one "key: value" a line, such as "minGap: 2s".`
      : `The configuration file "${file}" must have one "key: value" a line, such as "minGap: 2s", and not a list or a lone value.`,
  );
}

const SYNTAX_FAULTS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'the key of this line is there twice: keep one',
  TAB_AS_INDENT: 'a tab indents this line: use spaces',
  MULTIPLE_DOCS: 'a second document begins: keep one',
};

function valuesOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The configuration file "${file}" is no YAML: ${message}.`, {
      cause: error,
    });
  }
}

function keyLines(
  { items }: YAMLMap,
  lineOf: (offset: number) => number,
): ReadonlyMap<string, number> {
  return new Map(
    items.map(({ key }) =>
      isScalar(key) ? [String(key.value), lineOf(key.range?.[0] ?? 0)] : ['', 1],
    ),
  );
}

function schemaFor(file: string): z.ZodType<Readonly<Record<string, unknown>>> {
  return z.strictObject(
    Object.fromEntries(
      SETTINGS.map((setting) => [setting.key, valueSchema(setting, file).optional()]),
    ),
  );
}

function valueSchema({ kind, isSecret }: Setting, file: string): z.ZodType {
  const written = kind.isList === true ? z.union([z.string(), listBy(kind.separator)]) : z.string();
  return written.transform((typed, context) => {
    try {
      const value = kind.parse(typed);
      return kind.isPath === true ? besideFile(file, String(value)) : value;
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      const shown = isSecret === true ? 'not understood' : `"${typed}"`;
      context.addIssue(typed === '' ? NO_VALUE : `is ${shown}. ${error.message}`);
      return z.NEVER;
    }
  });
}

const NO_VALUE = 'has no value: give it one, or leave the key out.';

/** The items of a list, as they stand on the command line. */
const listBy = (separator = ',') =>
  z.array(z.string()).transform((items) => (items.length > 0 ? items.join(separator) : 'none'));

function besideFile(file: string, path: string): string {
  return path === '-' || path === 'none' || isAbsolute(path) ? path : join(dirname(file), path);
}

function faultsOf(issue: z.core.$ZodIssue, lineAt: (key: string) => number): readonly Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ line: lineAt(key), message: unknownKey(key) }));
  }
  const key = String(issue.path[0]);
  const message =
    issue.code === 'custom' ? issue.message : 'has values of its own: give it a single one.';
  return [{ line: lineAt(key), message: `${key} ${message}` }];
}

function unknownKey(key: string): string {
  const near = nearest(
    key,
    SETTINGS.map((setting) => setting.key),
  );
  const remedy =
    near === undefined ? '"decorum config" lists those there are.' : `did you mean "${near}"?`;
  return `unknown key "${key}": ${remedy}`;
}

function faultsIn(file: string, faults: readonly Fault[]): FaultsInFile {
  const lines = [...faults]
    .sort((one, other) => one.line - other.line)
    .map(({ line, message }) => `${file}:${line}: ${message}`);
  return new FaultsInFile(`The configuration file "${file}" is wrong:`, lines);
}
