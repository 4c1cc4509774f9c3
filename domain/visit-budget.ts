/** What one live host asks for: a page each time its fetch and its gap have passed. */
export interface HostPace {
  readonly fetchMs: number;
  readonly gapMs: number;
}

/** How much one visit may do before it hands the host back to its workflow. */
export interface VisitBudget {
  readonly pages: number;
  readonly ms: number;
}

/** Pages a second that Temporal serves with a durable timer for every gap, on a small machine (measured: about 68). */
const PAGES_PER_SECOND_AT_ONE_A_VISIT = 25;

/** Pages a second that the given hosts together would take if nothing held them up. */
export function askedPagesPerSecond(hosts: readonly HostPace[]): number {
  return hosts.reduce((sum, { fetchMs, gapMs }) => sum + 1_000 / Math.max(fetchMs + gapMs, 1), 0);
}

/**
 * The budget of a visit, by what all live hosts ask for together: one page up to 25 pages a second, so that every gap
 * is a durable timer, and at most 20 pages; never more than 60 s.
 */
export function visitBudget(askedPerSecond: number): VisitBudget {
  const pages = Math.ceil(askedPerSecond / PAGES_PER_SECOND_AT_ONE_A_VISIT);
  return { pages: Math.min(Math.max(pages, 1), 20), ms: 60_000 };
}
