import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import type { CommonFlags } from './options.ts';
import { SETTINGS, keptText } from './setting-table.ts';
import type { Terminal } from '../views/terminal.ts';

/** A setting of a crawl that got another value, as values are written; `null` where none is set. */
export interface ChangedSetting {
  readonly key: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** What is other than before, in the order of the help. */
export function changedSettings(
  before: CrawlSettings,
  after: CrawlSettings,
): readonly ChangedSetting[] {
  return SETTINGS.filter(({ kept }) => kept !== undefined)
    .map((setting) => ({
      key: setting.key,
      from: keptText(setting, before) ?? null,
      to: keptText(setting, after) ?? null,
    }))
    .filter(({ from, to }) => from !== to);
}

/** Says what a crawl that is started again under its name does otherwise from now on. */
export function sayChanges(
  terminal: Terminal,
  { name, json }: Pick<CommonFlags, 'name' | 'json'>,
  changes: readonly ChangedSetting[],
): void {
  if (changes.length === 0) return;
  if (json === true) {
    terminal.print(JSON.stringify({ kind: 'settingsChanged', name, changes }));
    return;
  }
  for (const { key, from, to } of changes) {
    terminal.note(`${key}: ${from ?? 'unset'} → ${to ?? 'unset'}`);
  }
}
