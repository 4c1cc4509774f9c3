import type { BandEvidence } from '../../domain/band.ts';
import type { BandChooser } from '../../domain/band-rules.ts';
import { bandChooser } from '../../domain/band-rules.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import type { LoadedPrioritizer } from '../../domain/prioritizer.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import { loadPrioritizer } from '../../workers/prioritizers.ts';
import { UsageError } from '../errors.ts';

/**
 * The module that a crawl's settings name, if any.
 *
 * @throws UsageError that names the file and what is wrong with it.
 */
export async function prioritizerOf(file: string | null): Promise<LoadedPrioritizer | undefined> {
  if (file === null) return undefined;
  try {
    return await loadPrioritizer(file);
  } catch (cause) {
    throw new UsageError(
      `The prioritizer "${file}" is of no use: ${cause instanceof Error ? cause.message : String(cause)}. Mend it, or leave it out by --prioritizer none.`,
      { cause },
    );
  }
}

/**
 * The rules by which a crawl's seeds get their bands; these seeds are tried.
 *
 * @throws UsageError where the module can't be loaded, or is at fault with one of the seeds.
 */
export async function seedBands(
  settings: Pick<CrawlSettings, 'bands' | 'priority' | 'prioritizer'>,
  seeds: readonly RequestUrl[],
): Promise<BandChooser> {
  return triedBands(
    settings,
    'seed',
    seeds.map((url) => ({ url, depth: 0 })),
  );
}

/**
 * The rules by which a crawl's URLs get their bands, tried on these.
 *
 * @throws UsageError where the module can't be loaded, or is at fault with one of them.
 */
export async function triedBands(
  settings: Pick<CrawlSettings, 'bands' | 'priority' | 'prioritizer'>,
  what: 'seed' | 'queued URL',
  tries: readonly Omit<BandEvidence, 'bands'>[],
): Promise<BandChooser> {
  const { prioritizer: file } = settings;
  const choose = bandChooser(settings, await prioritizerOf(file));
  for (const evidence of tries) {
    const { fault } = choose(evidence);
    if (fault === undefined) continue;
    throw new UsageError(
      `The prioritizer "${file ?? ''}" fails with the ${what} "${evidence.url}": ${fault}. Mend it, or leave it out by --prioritizer none.`,
    );
  }
  return choose;
}
