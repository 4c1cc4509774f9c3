import { bandChooser, type BandChoice, type BandChooser } from '../domain/band-rules.ts';
import { crawlSettingsOf, type StoredSettings } from '../domain/crawl-settings.ts';
import type { PrioritizerFor } from '../domain/prioritizer.ts';
import { asRequestUrl } from '../domain/request-url.ts';
import type { Tx } from './pool.ts';
import { addPrioritizerFaults } from './prioritizer-faults.ts';
import type { FoundLink } from './settle.ts';

/** A crawl's rules for bands as they are at this instant. */
export interface BandRulesNow {
  /** How often they were changed for what is queued, too. */
  readonly rebands: number;
  readonly choose: BandChooser;
  /** Counts what the crawl's module got wrong with them. */
  readonly tellFaults: (choices: readonly BandChoice[]) => Promise<void>;
}

// Index: crawl_pkey.
const SETTINGS = `
  select settings
    from crawl
   where crawl_id = $1`;

/** The rules of now, in the transaction that goes by them. */
export async function bandRulesNow(
  tx: Tx,
  crawlId: number,
  prioritizerFor?: PrioritizerFor,
): Promise<BandRulesNow | undefined> {
  const { rows } = await tx.query<{ settings: StoredSettings }>({
    name: 'band_rules_now',
    text: SETTINGS,
    values: [crawlId],
  });
  if (rows[0] === undefined) return undefined;
  const settings = crawlSettingsOf(rows[0].settings);
  const file = settings.prioritizer;
  const prioritizer = file === null ? undefined : await prioritizerFor?.(file);
  return {
    rebands: settings.rebands,
    choose: bandChooser(settings, prioritizer),
    tellFaults: async (choices) => {
      const faults = choices.flatMap(({ fault }) => fault ?? []);
      const fault = faults.at(-1);
      if (file === null || fault === undefined) return;
      await addPrioritizerFaults(tx, crawlId, { file, fault, urls: faults.length });
    },
  };
}

/** Links on their way, and the page that named them. */
type Entering = FoundLink & { readonly foundOn: string | null };

/** Those links with their bands by the rules of now: when they were found the rules may have been others. */
export async function rebanded<T extends Entering>(
  tx: Tx,
  crawlId: number,
  links: readonly T[],
  prioritizerFor?: PrioritizerFor,
): Promise<readonly T[]> {
  if (links.length === 0) return links;
  const now = await rebandsOf(tx, crawlId);
  if (links.every(({ rebands = 0 }) => rebands === now)) return links;
  const rules = await bandRulesNow(tx, crawlId, prioritizerFor);
  if (rules === undefined) return links;
  const choices: BandChoice[] = [];
  const judged = links.map((link) => {
    if ((link.rebands ?? 0) === now) return link;
    const { url, depth, foundOn, sitemapPriority } = link;
    const choice = rules.choose({
      url: asRequestUrl(url),
      depth,
      foundOn: foundOn ?? undefined,
      sitemapPriority,
    });
    choices.push(choice);
    return { ...link, band: choice.band };
  });
  await rules.tellFaults(choices);
  return judged;
}

// Index: crawl_pkey.
const REBANDS = `
  select coalesce((settings ->> 'rebands')::int, 0) as "rebands"
    from crawl
   where crawl_id = $1`;

async function rebandsOf(tx: Tx, crawlId: number): Promise<number> {
  const { rows } = await tx.query<{ rebands: number }>({
    name: 'rebands_of',
    text: REBANDS,
    values: [crawlId],
  });
  return rows[0]?.rebands ?? 0;
}
