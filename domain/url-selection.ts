import type { CrawlSettings } from './crawl-settings.ts';
import type { ExclusionRule } from './outcome.ts';
import type { RequestUrl } from './request-url.ts';
import { parseUrlRule, urlFactsOf, type UrlRule } from './url-rule.ts';

/** A crawl's own rules about which URLs it takes: none that an exclude names, and where there are includes only what one names. */
export interface UrlSelection {
  readonly excludes: readonly UrlRule[];
  readonly includes: readonly UrlRule[];
}

/** By which of a crawl's own rules a URL is none of its: an exclude, as it is written, or the want of an include. */
export type SelectionRule = Extract<ExclusionRule, 'include' | `rule ${string}`>;

/** The longest that the rules of one kind may be together, in characters; our choice: each claim of a page reads them. */
export const MOST_RULE_CHARACTERS = 20_000;

/** The rules of a crawl as its settings keep them, made ready for one URL after another. What can't be read is left out. */
export function urlSelectionOf({
  excludes,
  includes = [],
}: Pick<CrawlSettings, 'excludes'> & Partial<Pick<CrawlSettings, 'includes'>>): UrlSelection {
  return { excludes: rulesOf(excludes), includes: rulesOf(includes) };
}

/** Which rule keeps a URL out, if any (R24); excludes go before includes. */
export function selectionExclusion(
  url: RequestUrl,
  depth: number | undefined,
  { excludes, includes }: UrlSelection,
): SelectionRule | undefined {
  if (excludes.length + includes.length === 0) return undefined;
  const facts = urlFactsOf(url, depth);
  const exclude = excludes.find((rule) => rule.matches(facts));
  if (exclude !== undefined) return `rule ${exclude.text}`;
  return includes.length === 0 || includes.some((rule) => rule.matches(facts))
    ? undefined
    : 'include';
}

/** The same as a part of a sentence: `excluded by rule path:/x/*`. */
export function selectionText(rule: SelectionRule): string {
  return rule === 'include' ? 'named by no include rule' : `excluded by ${rule}`;
}

function rulesOf(written: readonly string[]): readonly UrlRule[] {
  return written.flatMap((text) => parseUrlRule(text) ?? []);
}
