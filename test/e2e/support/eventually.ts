import { setTimeout as pause } from 'node:timers/promises';

/** Generous: it only ends a test that would never end. */
const LIMIT_MS = 120_000;
const LOOK_MS = 200;

/** Waits until it is so. @throws Error naming what was waited for, after two minutes. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const startedAtMs = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedAtMs > LIMIT_MS) throw new Error(`Waited in vain for ${what}`);
    await pause(LOOK_MS);
  }
}
