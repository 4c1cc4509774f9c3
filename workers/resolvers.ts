import type { Log } from '../activities/deps.ts';
import { createResolver } from '../web/resolver.ts';
import type { Resolver } from '../web/resolver.ts';

/** The resolvers of one process: one a list of name servers, each with a cache of its own. */
export interface Resolvers {
  readonly resolverFor: (servers: readonly string[]) => Resolver;
  /** Logs a last time how many names were known and how many had to be looked up (R28). */
  readonly close: () => void;
}

/** How often the hit rate is logged; our choice. */
const REPORT_EVERY_MS = 600_000;

/** Resolvers that log their hit rate every ten minutes and at the end. */
export function openResolvers(log: Log): Resolvers {
  const byServers = new Map<string, Resolver>();
  const report = (): void => {
    for (const [servers, resolver] of byServers) {
      const { hits, misses, names } = resolver.counts();
      const asked = hits + misses;
      const hitRate = asked === 0 ? null : Number((hits / asked).toFixed(3));
      log.info({ servers: servers || 'system', hits, misses, names, hitRate }, 'names looked up');
    }
  };
  const timer = setInterval(report, REPORT_EVERY_MS).unref();
  return {
    resolverFor: (servers) => {
      const key = servers.join(' ');
      const known = byServers.get(key) ?? createResolver({ servers });
      byServers.set(key, known);
      return known;
    },
    close: () => {
      clearInterval(timer);
      report();
    },
  };
}
