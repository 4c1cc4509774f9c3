import type { Command } from 'commander';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import type { Config, Environment } from '../../workers/config.ts';
import { readConfigFile } from './config-file.ts';
import type { FileValue } from './config-file.ts';
import type { CommonFlags } from './options.ts';
import { KINDS } from './setting-kinds.ts';
import { SETTINGS, keptText, standardOf } from './setting-table.ts';
import type { Setting } from './setting-table.ts';

/**
 * Gives a command the settings of its `--config`, where it was not told otherwise on the command line. Settings of
 * servers become variables of the environment, for this process and those it starts. Settings that the command has no
 * flag for are none of its business; one file serves all commands.
 *
 * @throws UsageError that lists everything that is wrong with the file.
 */
export function applyConfigFile(command: Command): void {
  const { config } = command.opts<CommonFlags>();
  if (config === undefined) return;
  const values = readConfigFile(config);
  for (const [key, { value }] of values) {
    if (isKnownTo(command, key) && command.getOptionValueSource(key) !== 'cli') {
      command.setOptionValueWithSource(key, value, 'config');
    }
  }
  command.setOptionValue('overrides', overridesOf(values));
}

/** What the environment says, and the configuration file over it. */
export async function configInForce(flags: CommonFlags): Promise<Config> {
  return (await configReader(flags))();
}

/** The same as a function, for those who want to say themselves what is wrong with it. */
export async function configReader({ overrides }: CommonFlags): Promise<() => Config> {
  // Loaded when needed: it loads Temporal's own configuration.
  const { loadConfigWith } = await import('../../workers/config.ts');
  return () => loadConfigWith(overrides);
}

/** One setting as it holds now; `value` as it is written, with passwords left out. */
export interface SettingInForce {
  readonly key: string;
  readonly group: Setting['group'];
  readonly value: string | null;
  /** What holds where there is no value. */
  readonly unset?: string;
  readonly source: 'flag' | 'file' | 'environment' | 'crawl' | 'default';
  /** The source for people: a flag, a line of a file, a variable. */
  readonly from: string;
}

/**
 * Every setting as a command has it: what was typed, else what the configuration file says, else the environment, else
 * what the crawl has kept, else the default.
 */
export async function settingsInForce(
  command: Command,
  kept: CrawlSettings | undefined,
): Promise<readonly SettingInForce[]> {
  const flags = command.opts<CommonFlags>();
  const { surroundings, databaseUrl, temporal } = await configInForce({
    ...flags,
    overrides: {},
  });
  const lines = flags.config === undefined ? undefined : readConfigFile(flags.config);
  const environment: Environment = {
    // Those that follow from others: libpq's parts, Temporal's profile.
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal?.address,
    TEMPORAL_NAMESPACE: temporal?.namespace,
    ...withoutEmpty(surroundings.environment),
  };
  const look = { command, lines, environment, kept };
  return SETTINGS.map((setting) => inForce(setting, look));
}

interface Look {
  readonly command: Command;
  readonly lines: ReadonlyMap<string, FileValue> | undefined;
  readonly environment: Environment;
  readonly kept: CrawlSettings | undefined;
}

function inForce(setting: Setting, look: Look): SettingInForce {
  const { key, group, unset } = setting;
  const { value, ...origin } = originOf(setting, look);
  return {
    key,
    group,
    value: value === undefined ? null : masked(setting, value),
    ...(value === undefined && unset !== undefined ? { unset } : {}),
    ...origin,
  };
}

type Origin = Pick<SettingInForce, 'source' | 'from'> & { readonly value: string | undefined };

function originOf(setting: Setting, { command, lines, environment, kept }: Look): Origin {
  const { key, kind, flag = '', variable = '' } = setting;
  if (command.getOptionValueSource(key) === 'cli') {
    const typed: unknown = command.getOptionValue(key);
    const [name = ''] = (typed === false ? (setting.opposite?.[0] ?? flag) : flag).split(' ');
    return { value: kind.show(typed), source: 'flag', from: name };
  }
  const line = lines?.get(key);
  if (line !== undefined) return { value: kind.show(line.value), source: 'file', from: line.where };
  const said = environment[variable];
  if (said !== undefined) {
    return { value: kind.show(fromVariable(setting, said)), source: 'environment', from: variable };
  }
  if (kept !== undefined && setting.kept !== undefined) {
    return { value: keptText(setting, kept), source: 'crawl', from: 'the crawl' };
  }
  return { value: standardOf(setting), source: 'default', from: 'default' };
}

function fromVariable({ kind }: Setting, text: string): unknown {
  return kind === KINDS.yesNo ? text === '1' : text;
}

/** A password in a URL, or the whole of another secret, as dots. */
function masked({ isSecret, kind }: Setting, text: string): string {
  if (isSecret !== true) return text;
  return kind === KINDS.postgresUrl ? withoutPassword(text) : '…';
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  // Parameters can have one, too.
  for (const name of url.searchParams.keys()) {
    if (/pass/i.test(name)) url.searchParams.set(name, '***');
  }
  if (url.password !== '') url.password = '***';
  return url.href;
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

function isKnownTo(command: Command, key: string): boolean {
  // The name is an argument of some commands, whose default it is.
  return key === 'name' || command.options.some((option) => option.attributeName() === key);
}

function overridesOf(values: ReadonlyMap<string, FileValue>): Environment {
  return Object.fromEntries(
    SETTINGS.flatMap(({ key, variable }) => {
      const found = values.get(key);
      return variable === undefined || found === undefined ? [] : [[variable, textOf(found.value)]];
    }),
  );
}

/** As variables have it. */
function textOf(value: unknown): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
