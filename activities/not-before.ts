/**
 * When each host may be asked again by this process's monotonic clock, in the time of `performance.now()`. An instant
 * that has passed says nothing more.
 */
export type NotBefore = Map<number, number>;

/** Entries looked at for each one written: with two, those that have passed go faster than new ones come. */
const LOOKED_AT = 2;

/**
 * Writes a host's instant down, and drops some that have passed: a worker meets ever more hosts, and the map must hold
 * only those that are still owed a gap.
 */
export function leaveAloneUntil(notBefore: NotBefore, hostId: number, untilMs: number): void {
  notBefore.delete(hostId);
  notBefore.set(hostId, untilMs);
  for (const [oldId, oldMs] of [...firstOf(notBefore, LOOKED_AT)]) {
    notBefore.delete(oldId);
    // To the end, so that a long backoff at the front doesn't hide what passed behind it.
    if (oldMs > performance.now()) notBefore.set(oldId, oldMs);
  }
}

function* firstOf<T>(all: Iterable<T>, count: number): Generator<T> {
  let given = 0;
  for (const one of all) {
    if (given >= count) return;
    given += 1;
    yield one;
  }
}
