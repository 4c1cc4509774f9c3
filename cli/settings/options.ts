import type { SeenTestKind } from '../../domain/seen-test.ts';
import { Option } from 'commander';
import type { ScopeKind, TlsMode } from '../../domain/crawl-settings.ts';
import type { MediaRanges } from '../../domain/media-type.ts';
import { KINDS } from './setting-kinds.ts';
import { SETTINGS, settingOf, standardOf } from './setting-table.ts';
import type { Setting } from './setting-table.ts';
import type { Environment } from '../../workers/config.ts';

export { DEFAULT_CRAWL_NAME, DEFAULT_DATA_FOLDER } from './setting-table.ts';

/** A limit; `none` lifts the one that a crawl had. */
export type Limit = number | 'none';

/** What every command takes. */
export interface CommonFlags {
  readonly data: string;
  readonly config?: string;
  /** The crawl that `--name` or the configuration file names; absent with commands that take no name at all. */
  readonly name?: string;
  /** Variables of the environment that the configuration file overrides. */
  readonly overrides?: Environment;
  readonly json?: true;
  readonly quiet?: true;
}

/** What the commands take that follow a crawl. */
export interface FollowFlags extends CommonFlags {
  readonly workers: number;
  readonly detach?: true;
}

/** What `crawl` takes; what was not typed is absent, so that a crawl goes on with the settings it has. */
export interface CrawlFlags extends FollowFlags {
  readonly name: string;
  readonly seeds?: string;
  readonly scope?: ScopeKind;
  readonly exclude?: readonly string[];
  readonly include?: readonly string[];
  readonly pages?: Limit;
  readonly depth?: Limit;
  readonly time?: Limit;
  readonly hostQueue?: Limit;
  readonly contact?: string;
  readonly userAgent?: string;
  readonly minGap?: number;
  readonly gapFactor?: number;
  readonly dns?: readonly string[];
  readonly allowPrivate?: boolean;
  readonly allowRange?: readonly string[];
  readonly retries?: readonly number[];
  readonly putOffWait?: number;
  readonly robotsWait?: number;
  readonly wait?: boolean;
  readonly visitPages?: number;
  readonly hostPagesADay?: Limit;
  readonly liveHosts?: number;
  readonly bands?: number;
  readonly priority?: readonly string[];
  readonly prioritizer?: string;
  readonly weights?: readonly number[];
  readonly connectTimeout?: number;
  readonly pageTimeout?: number;
  readonly maxBytes?: number;
  readonly skipTypes?: MediaRanges;
  readonly tls?: TlsMode;
  readonly http2?: boolean;
  readonly cookies?: boolean;
  readonly minFree?: number;
  readonly sortQuery?: boolean;
  readonly dropTracking?: boolean;
  readonly dropSessionIds?: boolean;
  readonly dropParameters?: readonly string[];
  readonly keepParameters?: readonly string[];
  readonly maxSegments?: Limit;
  readonly maxSegmentRepeats?: Limit;
  readonly maxParameters?: Limit;
  readonly maxParameterRepeats?: Limit;
  readonly calendarYears?: Limit;
  readonly obeyNofollow?: boolean;
  readonly embeds?: boolean;
  readonly sitemaps?: boolean;
  readonly seenTest?: SeenTestKind;
}

/** The options of `crawl` that are kept with the crawl, in the order of its help. */
export function crawlOptions(): readonly Option[] {
  return SETTINGS.filter(({ group }) => group === 'crawl').flatMap((setting) => [
    // Without a default of commander's, so that what was not typed is absent. Where there is a flag for the opposite,
    // only that one changes anything, but for what a configuration file says.
    optionOf(setting, { isNamed: true }).hideHelp(setting.opposite !== undefined),
    ...(setting.opposite === undefined ? [] : [new Option(...setting.opposite)]),
  ]);
}

/** The options of every command. */
export function commonOptions(): readonly Option[] {
  return [
    commandOption('data'),
    new Option('--config <file>', 'settings from this file; flags come before it').env(
      'DECORUM_CONFIG',
    ),
    new Option('--json', 'print JSON, one object a line'),
    new Option('--quiet', 'print results and errors only'),
  ];
}

/** The number of worker processes, of the commands that follow a crawl. */
export function workersOption(): Option {
  return commandOption('workers');
}

/** The flag of a setting of one command, with its default. */
export function commandOption(key: 'name' | 'seeds' | 'data' | 'workers'): Option {
  const setting = settingOf(key);
  const standard = standardOf(setting);
  const option = optionOf(setting, { isNamed: false });
  return standard === undefined ? option : option.default(setting.kind.parse(standard));
}

function optionOf(setting: Setting, { isNamed }: { readonly isNamed: boolean }): Option {
  const { flag = '', kind, description, unset } = setting;
  const standard = kind === KINDS.yesNo ? undefined : standardOf(setting);
  const words = unset ?? (standard === 'none' ? undefined : standard);
  const option = new Option(
    flag,
    isNamed && words !== undefined ? `${description} (default: ${words})` : description,
  );
  if (kind.choices !== undefined) return option.choices(kind.choices);
  if (kind === KINDS.yesNo) return option;
  return option.argParser<unknown>((text, before) =>
    kind.parseMore === undefined
      ? kind.parse(text)
      : kind.parseMore(text, before as readonly string[] | undefined),
  );
}
