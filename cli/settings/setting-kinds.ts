import {
  parseAddressRanges,
  parseBands,
  parseBytes,
  parseContact,
  parseCount,
  parseShards,
  parseDns,
  parseDuration,
  parseFactor,
  parseFile,
  parseFolder,
  parseLadder,
  parseLimit,
  parseMediaTypes,
  parseName,
  parseParameters,
  parsePort,
  parsePagesADay,
  parsePostgresUrl,
  parsePriority,
  parseRules,
  parseText,
  parseUserAgent,
  parseWeights,
  parseWhole,
  refuse,
} from './option-values.ts';

/** A JSON schema of one value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How the values of a setting are written: the same for a flag and in a file. */
export interface SettingKind {
  /** Reads one value as typed; refuses it with the remedy. */
  readonly parse: (text: string) => unknown;
  /** Where a flag may be given again: adds one more to the values before it. */
  readonly parseMore?: (text: string, before: readonly string[] | undefined) => readonly string[];
  /** Writes a value so that `parse` reads it again. */
  readonly show: (value: unknown) => string;
  /** For editors: at least what `parse` takes. */
  readonly schema: JsonSchema;
  /** The only words there are. */
  readonly choices?: readonly string[];
  /** A list in a file; on the command line its items stand between commas, or between this. */
  readonly isList?: true;
  readonly separator?: string;
  /** In a file it is relative to the file's folder. */
  readonly isPath?: true;
}

const TEXT = { type: 'string', minLength: 1 } as const;
const AMOUNT = String.raw`\s*\d+(\.\d+)?\s*`;
const DURATION = {
  type: ['string', 'number'],
  pattern: `^(${AMOUNT}|(${AMOUNT}(ms|min|s|m|h|d))+\\s*)$`,
  minimum: 0,
} as const;

/** The kinds of values there are. */
export const KINDS = {
  count: { parse: parseCount, show: String, schema: { type: 'integer', minimum: 1 } },
  bands: {
    parse: parseBands,
    show: String,
    schema: { type: 'integer', minimum: 1, maximum: 8 },
  },
  priority: {
    parse: (text) => parsePriority(text),
    parseMore: parsePriority,
    show: (rules) => listText(rules, String, ' ') ?? 'none',
    schema: listOf(TEXT),
    isList: true,
    separator: ' ',
  },
  rules: {
    parse: (text) => parseRules(text),
    parseMore: parseRules,
    show: (rules) => listText(rules, String, ' ') ?? 'none',
    schema: listOf(TEXT),
    isList: true,
    separator: ' ',
  },
  weights: {
    parse: parseWeights,
    show: (weights) => listText(weights, String) ?? 'none',
    schema: listOf({ type: ['string', 'number'] }),
    isList: true,
  },
  shards: {
    parse: parseShards,
    show: String,
    schema: { type: 'integer', minimum: 1, maximum: 64 },
  },
  factor: { parse: parseFactor, show: String, schema: { type: 'number', minimum: 0 } },
  port: {
    parse: parsePort,
    show: String,
    schema: { type: 'integer', minimum: 1, maximum: 65_535 },
  },
  duration: { parse: parseDuration, show: durationText, schema: DURATION },
  timeout: { parse: parseLimit, show: durationText, schema: DURATION },
  size: {
    parse: parseBytes,
    show: sizeText,
    schema: { type: ['string', 'integer'], pattern: `^${AMOUNT}([kKmMgG]?[bB]?)$`, minimum: 1 },
  },
  countLimit: orNone({
    parse: parseCount,
    show: String,
    schema: { type: 'integer', minimum: 1 },
  }),
  pagesADay: orNone({
    parse: parsePagesADay,
    show: String,
    schema: { type: 'integer', minimum: 2 },
  }),
  wholeLimit: orNone({
    parse: parseWhole,
    show: String,
    schema: { type: 'integer', minimum: 0 },
  }),
  timeLimit: orNone({ parse: parseDuration, show: durationText, schema: DURATION }),
  ladder: {
    parse: parseLadder,
    show: (steps) => listText(steps, durationText) ?? 'none',
    schema: listOf(DURATION),
    isList: true,
  },
  dnsServers: {
    parse: (text) => parseDns(text),
    parseMore: parseDns,
    show: (servers) => listText(servers, String) ?? '',
    schema: listOf(TEXT),
    isList: true,
  },
  parameters: {
    parse: parseParameters,
    show: (names) => listText(names, String) ?? 'none',
    schema: listOf(TEXT),
    isList: true,
  },
  addressRanges: {
    parse: parseAddressRanges,
    show: (ranges) => listText(ranges, String) ?? 'none',
    schema: listOf(TEXT),
    isList: true,
  },
  mediaTypes: {
    parse: parseMediaTypes,
    show: (ranges) => listText(ranges, String) ?? 'none',
    schema: listOf(TEXT),
    isList: true,
  },
  yesNo: { parse: parseYesNo, show: String, schema: { type: 'boolean' } },
  contact: { parse: parseContact, show: String, schema: TEXT },
  userAgent: { parse: parseUserAgent, show: String, schema: TEXT },
  name: { parse: parseName, show: String, schema: { type: ['string', 'number'] } },
  text: { parse: parseText, show: String, schema: TEXT },
  postgresUrl: { parse: parsePostgresUrl, show: String, schema: TEXT },
  folder: { parse: parseFolder, show: String, schema: TEXT, isPath: true },
  file: { parse: parseFile, show: String, schema: TEXT, isPath: true },
  module: {
    ...orNone({ parse: parseFile, show: String, schema: TEXT }),
    isPath: true,
  },
} as const satisfies Readonly<Record<string, SettingKind>>;

/** One of a few words. */
export function oneOf(choices: readonly string[]): SettingKind {
  const parse = (text: string): string =>
    choices.includes(text) ? text : refuse(`Allowed choices are ${choices.join(', ')}.`);
  return { parse, show: String, schema: { type: 'string', enum: [...choices] }, choices };
}

/** A limit that `none` lifts; `null` is none, too. */
function orNone({ parse, show, schema }: SettingKind): SettingKind {
  return {
    parse: (text) => (text === 'none' ? text : parse(text)),
    show: (value) => (value === null ? 'none' : show(value)),
    schema: { anyOf: [schema, { const: 'none' }] },
  };
}

function listOf(item: JsonSchema): JsonSchema {
  return { anyOf: [{ type: ['string', 'number'] }, { type: 'array', items: item }] };
}

function listText(
  values: unknown,
  show: (value: unknown) => string,
  separator = ',',
): string | undefined {
  return Array.isArray(values) && values.length > 0 ? values.map(show).join(separator) : undefined;
}

function parseYesNo(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return refuse('It must be true or false.');
}

function durationText(value: unknown): string {
  return inUnits(value, [
    [3_600_000, 'h'],
    [60_000, 'm'],
    [1_000, 's'],
    [1, 'ms'],
  ]);
}

function sizeText(value: unknown): string {
  return inUnits(value, [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
    [1, 'B'],
  ]);
}

/** In the largest unit that divides it, so that nothing is rounded. */
function inUnits(value: unknown, units: readonly (readonly [number, string])[]): string {
  const number = Number(value);
  if (number === 0) return '0s';
  const [size, unit] = units.find(([one]) => number % one === 0) ?? [1, ''];
  return `${number / size}${unit}`;
}
