import { setTimeout as pause } from 'node:timers/promises';
import type { ActivityDeps } from './deps.ts';
import { LOOK_EVERY_MS } from './disk-watch.ts';
import type { Stay } from './stay.ts';

/**
 * Waits while the disk has no room for a page: nobody is asked for one that could not be kept. The wait is spent in the
 * visit, whose slot nobody else could use meanwhile, up to its time.
 *
 * @returns false where there is still no room when the visit must end.
 */
export async function awaitRoom({ disk }: ActivityDeps, stay: Stay): Promise<boolean> {
  while ((await disk.shortage()) !== undefined) {
    const leftMs = stay.budget.ms - (performance.now() - stay.startedAtMs);
    if (stay.ending.aborted || leftMs <= 0) return false;
    stay.showing({ doing: 'waiting for room on the disk' });
    await pause(Math.min(LOOK_EVERY_MS, leftMs), undefined, { signal: stay.ending }).catch(
      () => undefined,
    );
  }
  return true;
}
