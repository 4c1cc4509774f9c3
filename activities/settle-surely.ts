import { setTimeout as pause } from 'node:timers/promises';
import type { Lease } from '../db/claim.ts';
import { settle, type Settlement } from '../db/settle.ts';
import type { ActivityDeps } from './deps.ts';

/** How long a settle that meets a dead database tries on, in milliseconds: less than a visit's time-out. Our choice. */
const TRY_FOR_MS = 240_000;
const PAUSE_MS = 500;

/**
 * Settles, trying in place while the database is away: its token may still stand in the row afterwards. The settlement
 * is made anew for each try, since what the host is owed shrinks as time passes.
 *
 * @returns false where the lease was lost to another visit, which then does the work again.
 * @throws the database's error once the time for tries is over.
 */
export async function settleSurely(
  { db, log, seenCache }: ActivityDeps,
  lease: Lease,
  settlementNow: () => Settlement,
): Promise<boolean> {
  const startedAtMs = performance.now();
  for (;;) {
    try {
      return await settle(db, lease, settlementNow());
    } catch (error) {
      if (performance.now() - startedAtMs > TRY_FOR_MS || !isConnectionTrouble(error)) throw error;
      seenCache.clear();
      log.warn({ error: String(error) }, 'settle waits for the database');
      await pause(PAUSE_MS);
    }
  }
}

/** Errors with a SQLSTATE other than those of a server that goes away are faults of the statement. */
function isConnectionTrouble(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isSqlState = /^[0-9A-Z]{5}$/u.test(code) && !/^E[A-Z]+$/u.test(code);
  return !isSqlState || /^(?:08|53|57P|40)/u.test(code);
}
