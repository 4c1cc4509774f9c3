import { bandOf, MOST_BANDS, type Band, type BandEvidence } from './band.ts';
import { parseUrlRule, urlFactsOf, type UrlRule } from './url-rule.ts';

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

/**
 * The prioritizer rule (R2): the first of the crawl's own rules that the URL meets, else the default one. A band that
 * the crawl doesn't have means its last.
 */
export function chooseBand(evidence: BandEvidence, rules: readonly BandRule[]): BandChoice {
  if (rules.length === 0) return { band: bandOf(evidence) };
  const facts = urlFactsOf(evidence.url, evidence.depth);
  const found = rules.find(({ rule }) => rule.matches(facts));
  return found === undefined
    ? { band: bandOf(evidence) }
    : { band: Math.min(found.band, evidence.bands), rule: found.text };
}
