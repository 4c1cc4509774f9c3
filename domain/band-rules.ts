import { bandOf, MOST_BANDS, type Band, type BandEvidence } from './band.ts';
import type { CrawlSettings } from './crawl-settings.ts';
import { askPrioritizer, type LoadedPrioritizer, type PrioritizerAnswer } from './prioritizer.ts';
import { extensionOf, parseUrlRule, urlFactsOf, type UrlFacts, type UrlRule } from './url-rule.ts';

/** URLs that meet the rule go into the band. */
export interface BandRule {
  readonly rule: UrlRule;
  readonly band: Band;
  /** As it is written, such as `path:/blog/*=1`. */
  readonly text: string;
}

/** Into which band a URL goes, and why. */
export interface BandChoice {
  readonly band: Band;
  /** The rule that said so, as it is written; absent where the default rule did. */
  readonly rule?: string;
  /** What the crawl's own module got wrong, so that the other rules went. */
  readonly fault?: string;
}

/** Reads a rule with its band, such as `path:/blog/*=1`; `undefined` where it is none. The last `=` is the one that counts. */
export function parseBandRule(text: string): BandRule | undefined {
  const [, written = '', digits = ''] = /^(.+)=(\d)$/u.exec(text) ?? [];
  const rule = parseUrlRule(written);
  const band = Number(digits);
  return rule === undefined || band < 1 || band > MOST_BANDS ? undefined : { rule, band, text };
}

/** The rules of a crawl as its settings keep them, made ready for one URL after another. What can't be read is left out. */
export function bandRulesOf(written: readonly string[]): readonly BandRule[] {
  return written.flatMap((text) => parseBandRule(text) ?? []);
}

/** Chooses the band of one URL after another, by the rules of one crawl. */
export type BandChooser = (evidence: Omit<BandEvidence, 'bands'>) => BandChoice;

/** The rules of a crawl, and the module of its own if it has one, made ready. */
export function bandChooser(
  { bands, priority }: Pick<CrawlSettings, 'bands' | 'priority'>,
  prioritizer?: LoadedPrioritizer,
): BandChooser {
  const rules = bandRulesOf(priority);
  return (evidence) => chooseBand({ ...evidence, bands }, rules, prioritizer);
}

/**
 * The prioritizer rule (R2): the crawl's own module, where it has one that knows; else the first of the crawl's own
 * rules that the URL meets, else the default one. A rule's band that the crawl doesn't have means its last.
 */
export function chooseBand(
  evidence: BandEvidence,
  rules: readonly BandRule[],
  prioritizer?: LoadedPrioritizer,
): BandChoice {
  if (rules.length === 0 && prioritizer === undefined) return { band: bandOf(evidence) };
  const facts = urlFactsOf(evidence.url, evidence.depth, evidence.sitemapPriority);
  const own = prioritizer && answerOf(prioritizer, facts, evidence);
  if (own?.kind === 'band')
    return { band: own.band, rule: `--prioritizer ${prioritizer?.file ?? ''}` };
  const found = rules.find(({ rule }) => rule.matches(facts));
  const choice =
    found === undefined
      ? { band: bandOf(evidence) }
      : { band: Math.min(found.band, evidence.bands), rule: found.text };
  return own?.kind === 'fault' ? { ...choice, fault: own.fault } : choice;
}

function answerOf(
  { rule }: LoadedPrioritizer,
  { url, scheme, host, path, query }: UrlFacts,
  { depth, foundOn, sitemapPriority, bands }: BandEvidence,
): PrioritizerAnswer {
  const extension = extensionOf(path);
  const known = { depth, foundOn, sitemapPriority, bands };
  return askPrioritizer(rule, { url, scheme, host, path, query, extension, ...known });
}
