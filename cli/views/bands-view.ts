import type { BandQueue } from '../../db/bands.ts';
import type { BandWeight } from '../../domain/band.ts';
import { formatDuration } from '../../domain/duration.ts';
import { count } from './quantities.ts';
import { tableLines, type Column } from './table.ts';

/** A band as it is shown. */
export interface ShownBand extends BandQueue, BandWeight {
  /** Of the draws, while every band has work. */
  readonly share: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'BAND', align: 'right', dropped: 0 },
  { title: 'WEIGHT', align: 'right', dropped: 3 },
  { title: 'SHARE', align: 'right', dropped: 2 },
  { title: 'QUEUED', align: 'right', dropped: 0 },
  { title: 'OLDEST', align: 'right', dropped: 1 },
];

/** The queues with their weights in the lottery. */
export function shownBands(
  queues: readonly BandQueue[],
  weights: readonly BandWeight[],
): readonly ShownBand[] {
  const all = weights.reduce((sum, { weight }) => sum + weight, 0);
  return queues.map((queue) => {
    const weight = weights.find(({ band }) => band === queue.band)?.weight ?? 0;
    return { ...queue, weight, share: all === 0 ? 0 : weight / all };
  });
}

/** The bands as a table. */
export function bandsLines(
  bands: readonly ShownBand[],
  look: { readonly width: number; readonly colours: boolean },
): readonly string[] {
  const rows = bands.map(({ band, weight, share, queued, oldestMs }) => [
    String(band),
    String(Number(weight.toPrecision(3))),
    `${(share * 100).toFixed(1)} %`,
    count(queued),
    oldestMs === null ? '–' : formatDuration(oldestMs),
  ]);
  return tableLines(COLUMNS, rows, look);
}
