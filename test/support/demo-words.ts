import type { Judge } from './judge.ts';

/** What the judge found, for people. */
export interface DemoFindings {
  readonly line: string;
  /** Named one by one; none for a polite crawl. */
  readonly offences: readonly string[];
  readonly isClean: boolean;
}

/** The manners that the demo's crawl is held to: our defaults (R9). */
const LAW = { minGapMs: 1_000, gapFactor: 10 };

const MOST_NAMED = 10;

/**
 * The judge's verdict in one line. A crawl that ended in one go is also held to completeness; of one that was
 * interrupted, an earlier demo's judge saw a part.
 */
export function demoFindings(
  { judge, reachable, goesOn }: DemoWebSeen,
  { ended }: { readonly ended: boolean },
): DemoFindings {
  const { requests, pages, overlaps, gapViolations, repeats, offences } = judge.verdict(LAW);
  const isWhole = ended && !goesOn;
  const missing = isWhole ? [...reachable].filter((url) => !pages.has(url)) : [];
  const counts = [
    `${requests} requests`,
    isWhole ? `${pages.size} of ${reachable.size} pages` : `${pages.size} pages`,
    `overlaps ${overlaps.length}`,
    `gap violations ${gapViolations.length}`,
    `repeats ${repeats.length}`,
    ...(offences.length > overlaps.length + gapViolations.length
      ? [`other offences ${offences.length - overlaps.length - gapViolations.length}`]
      : []),
  ];
  const named = [
    ...offences,
    ...repeats.map(({ url, times }) => `repeat: ${url} was asked for ${times} times`),
    ...missing.map((url) => `missing: ${url} was never asked for`),
  ];
  return {
    line: `The web's judge saw ${counts.join(', ')}: ${named.length === 0 ? 'a polite crawl.' : 'not good enough.'}`,
    offences: named.slice(0, MOST_NAMED),
    isClean: named.length === 0,
  };
}

/** Where to look and what to try, while the servers are up. */
export function whatNext({
  folder,
  uiUrl,
  crawl,
  page,
}: {
  readonly folder: string;
  readonly uiUrl: string | undefined;
  readonly crawl: string;
  readonly page: string;
}): string {
  const rows: readonly (readonly [string, string])[] = [
    ...(uiUrl === undefined
      ? []
      : [['Temporal', `${uiUrl} (one workflow "host:…" a host)`] as const]),
    ['pages', `${folder}/warc (WARC/1.1, gzip)`],
    ['try', `npx decorum why ${page} --name ${crawl} --data ${folder}`],
    ['', 'run the demo again, press Ctrl-C or kill it in the middle, and run it once more'],
    ['', 'npx decorum crawl https://example.com --contact https://you.example/bot'],
  ];
  return `\nWhere to look, and what next\n${rows.map(([label, text]) => `  ${label.padEnd(9)} ${text}`).join('\n')}`;
}

interface DemoWebSeen {
  readonly judge: Judge;
  readonly reachable: ReadonlySet<string>;
  readonly goesOn: boolean;
}
