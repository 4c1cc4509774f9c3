import { formatBytes } from './byte-size.ts';
import { instantText } from './instant.ts';

/** A folder of pages without room: the workers that write there hold back until there is. */
export interface Shortage {
  /** The machine and the folder. */
  readonly place: string;
  readonly freeBytes: number;
  /** What must be free before the next page is asked for. */
  readonly wantedBytes: number;
  /** The disk's own words where it refused a write, since free bytes know nothing of a quota; else `null`. */
  readonly refusal: string | null;
  readonly since: Date;
}

/** One clause for people: where room is wanting, how much, since when, and what ends it. */
export function shortageText(shortage: Shortage): string {
  const [where, why, since, remedy] = shortageParts(shortage);
  return `${where} (${why}) ${since}; ${remedy}`;
}

/** The same in its parts. */
export function shortageParts({
  place,
  freeBytes,
  wantedBytes,
  refusal,
  since,
}: Shortage): readonly [where: string, why: string, since: string, remedy: string] {
  const sizes = `${formatBytes(freeBytes)} free, ${formatBytes(wantedBytes)} wanted`;
  const why = refusal === null ? sizes : `a write was refused: ${refusal}; ${sizes}`;
  return [
    `no room on ${place}`,
    why,
    `since ${instantText(since)}`,
    'goes on by itself when there is room',
  ];
}
