import { resolve } from 'node:path';
import { bandRulesOf } from '../../domain/band-rules.ts';
import { DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import { scopeRootsOf } from '../../domain/scope.ts';
import { userAgentOf } from '../../domain/user-agent.ts';
import { UsageError } from '../errors.ts';
import type { CrawlFlags } from './options.ts';
import type { Ownership } from './own-hosts.ts';
import { SETTINGS, isFixed, keptText } from './setting-table.ts';
import { VERSION } from '../version.ts';

/** The shortest gap with which somebody else's host is asked (R9). */
const SHORTEST_PUBLIC_GAP_MS = 1_000;

/** What a crawl's settings follow from, beside its flags. */
export interface SettingsSource {
  readonly seeds: readonly RequestUrl[];
  /** Whose hosts the seeds are. */
  readonly ownership: Ownership;
  /** The settings that the crawl has already. */
  readonly before: CrawlSettings | undefined;
}

/**
 * The settings of a crawl: what was typed, else what it had, else our defaults.
 *
 * @throws UsageError where there is nothing to crawl, or the settings would be impolite (R9, R14), reach nothing
 * (R29) or contradict the crawl's earlier ones.
 */
export function settingsOf(flags: CrawlFlags, source: SettingsSource): CrawlSettings {
  const { seeds, ownership, before } = source;
  requireSeeds(flags, source);
  if (before !== undefined) requireSameRules(flags, before);
  const scope = flags.scope ?? before?.scope ?? DEFAULT_SETTINGS.scope;
  const settings: CrawlSettings = {
    ...DEFAULT_SETTINGS,
    ...before,
    ...typed(flags),
    scope,
    scopeRoots: [...new Set([...(before?.scopeRoots ?? []), ...scopeRootsOf(scope, seeds)])],
    userAgent: agentOf(flags, before),
    // Who types a loopback address means it; under scope `any` its pages could send the crawl on to others.
    allowPrivate:
      (flags.allowPrivate ?? before?.allowPrivate ?? false) ||
      (ownership === 'loopback' && scope !== 'any'),
  };
  requireBands(settings);
  requireContact(settings, source);
  requirePoliteGap(settings, source);
  const { prioritizer } = settings;
  // Workers run elsewhere than this command.
  return prioritizer === null ? settings : { ...settings, prioritizer: resolve(prioritizer) };
}

/** Settings that were typed or that a file has; others leave no key. */
function typed(flags: CrawlFlags): Partial<CrawlSettings> {
  const values = new Map<string, unknown>(Object.entries(flags));
  return Object.fromEntries(
    SETTINGS.flatMap(({ key, kept }) => {
      const value = values.get(key);
      if (kept === undefined || value === undefined) return [];
      return [[kept, value === 'none' ? null : value]];
    }),
  );
}

/**
 * Refuses another value for what a crawl keeps from its start.
 *
 * @throws UsageError
 */
export function requireSameRules(flags: CrawlFlags, before: CrawlSettings): void {
  const values = new Map<string, unknown>(Object.entries(flags));
  for (const setting of SETTINGS.filter(isFixed)) {
    const { key, kind } = setting;
    const wished = values.get(key);
    const has = keptText(setting, before) ?? 'none';
    if (wished === undefined || kind.show(wished) === has) continue;
    const more = key === 'bands' ? '; "decorum reband" can give it more of them' : '';
    throw new UsageError(
      `The crawl "${flags.name}" has the ${key} "${has}", which cannot become "${kind.show(wished)}", since its frontier goes by it: give another --name${more}.`,
    );
  }
}

/**
 * Refuses rules and weights for bands that a crawl doesn't have.
 *
 * @throws UsageError
 */
export function requireBands({
  bands,
  priority,
  weights,
}: Pick<CrawlSettings, 'bands' | 'priority' | 'weights'>): void {
  const beyond = bandRulesOf(priority).find(({ band }) => band > bands);
  if (beyond !== undefined) {
    throw new UsageError(
      `The rule "${beyond.text}" names the band ${beyond.band}, and the crawl has ${bands}: name one from 1 to ${bands}.`,
    );
  }
  if (weights.length === 0 || weights.length === bands) return;
  throw new UsageError(
    `The weights "${weights.join(',')}" are ${weights.length}, and the crawl has ${bands} bands: give one a band, the most urgent first, or "none".`,
  );
}

function agentOf({ contact, userAgent }: CrawlFlags, before: CrawlSettings | undefined): string {
  const isNamed = contact !== undefined || userAgent !== undefined;
  if (before !== undefined && !isNamed) return before.userAgent;
  return userAgentOf({ contact, userAgent, version: VERSION });
}

function requireSeeds({ name }: CrawlFlags, { seeds, before }: SettingsSource): void {
  if (seeds.length > 0 || before !== undefined) return;
  throw new UsageError(
    `There is no crawl "${name}" to go on with: give a seed, such as "decorum crawl https://example.com/".`,
  );
}

function requireContact({ userAgent, allowPrivate }: CrawlSettings, source: SettingsSource): void {
  if (/https?:\/\/|mailto:|@/.test(userAgent) || isOwn(source.ownership, allowPrivate)) return;
  const remedy =
    source.ownership === 'private'
      ? 'add --allow-private if the seeds are your own, or --contact'
      : 'add --contact with a page or mail address where a site owner can complain';
  throw new UsageError(
    `The User-Agent "${userAgent}" names no contact: ${remedy}, such as --contact https://you.example/bot.`,
  );
}

function requirePoliteGap(settings: CrawlSettings, { ownership, before }: SettingsSource): void {
  const { minGapMs, allowPrivate, scope, dnsServers } = settings;
  if (minGapMs >= SHORTEST_PUBLIC_GAP_MS) return;
  const said = `--min-gap of ${formatDuration(minGapMs)} is under 1 s`;
  if (before !== undefined && before.minGapMs >= SHORTEST_PUBLIC_GAP_MS) {
    throw new UsageError(
      `A ${said}, which a crawl may have from its start only, since its frontier may know other people's hosts: give another --name.`,
    );
  }
  if (!isOwn(ownership, allowPrivate)) {
    const remedy =
      ownership === 'private'
        ? 'add --allow-private if these hosts are your own'
        : 'use 1s or more (with --allow-private, hosts whose names lead to private addresses count as your own)';
    throw new UsageError(`A ${said}, which only your own hosts may be asked with: ${remedy}.`);
  }
  // With a DNS server of one's own, one's own names are all there is.
  if (scope === 'any' && dnsServers.length === 0) {
    throw new UsageError(
      `A ${said} and --scope any leads to other people's hosts: use --scope host, domain or prefix.`,
    );
  }
}

function isOwn(ownership: Ownership, allowPrivate: boolean): boolean {
  switch (ownership) {
    case 'none':
    case 'loopback':
      return true;
    case 'private':
      return allowPrivate;
    case 'public':
      return false;
  }
}
