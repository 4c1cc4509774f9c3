const WINDOW_MS = 10_000;

/** A count of pages and when it was read, on any clock that only goes forward. */
export interface PageSample {
  readonly atMs: number;
  readonly pages: number;
}

/** Keeps the samples that the rate is taken from: those of the last ten seconds, and the one before them. */
export function withSample(samples: readonly PageSample[], latest: PageSample): PageSample[] {
  const firstInside = samples.findIndex(({ atMs }) => atMs >= latest.atMs - WINDOW_MS);
  const kept = firstInside === -1 ? samples.slice(-1) : samples.slice(Math.max(0, firstInside - 1));
  return [...kept, latest];
}

/** Pages per second between the oldest and the newest sample; `undefined` until there are two. */
export function pagesPerSecond(samples: readonly PageSample[]): number | undefined {
  const first = samples.at(0);
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
  return Math.max(0, (last.pages - first.pages) / ((last.atMs - first.atMs) / 1_000));
}
