import { addPrioritizerFaults } from '../db/prioritizer-faults.ts';
import type { Band, BandEvidence } from '../domain/band.ts';
import { bandChooser } from '../domain/band-rules.ts';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import type { ActivityDeps } from './deps.ts';

/** The bands of what one page names, and what the crawl's own module got wrong with them. */
export interface PageBands {
  readonly bandOf: (evidence: Omit<BandEvidence, 'bands'>) => Band;
  readonly faults: () => Faults | undefined;
}

interface Faults {
  readonly file: string;
  /** The latest. */
  readonly fault: string;
  readonly urls: number;
}

/** The rules by which a crawl's URLs go into bands, for the links of one page. */
export async function pageBands(
  { prioritizerFor }: Pick<ActivityDeps, 'prioritizerFor'>,
  settings: Pick<CrawlSettings, 'bands' | 'priority' | 'prioritizer'>,
): Promise<PageBands> {
  const { prioritizer: file } = settings;
  const choose = bandChooser(settings, file === null ? undefined : await prioritizerFor(file));
  let faults: Faults | undefined;
  return {
    bandOf: (evidence) => {
      const { band, fault } = choose(evidence);
      if (fault !== undefined) faults = { file: file ?? '', fault, urls: (faults?.urls ?? 0) + 1 };
      return band;
    },
    faults: () => faults,
  };
}

/** Counts what the module got wrong, for `status`; the log has it once, whichever worker meets it first. */
export async function tellFaults(
  { db, log }: Pick<ActivityDeps, 'db' | 'log'>,
  crawlId: number,
  bands: PageBands,
): Promise<void> {
  const faults = bands.faults();
  if (faults === undefined || !(await addPrioritizerFaults(db, crawlId, faults))) return;
  const { file, fault } = faults;
  log.warn(
    { crawlId, file, fault },
    "the prioritizer is at fault: URLs go by the crawl's other rules",
  );
}
