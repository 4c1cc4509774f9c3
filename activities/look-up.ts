import { setImmediate } from 'node:timers/promises';
import type { CrawlSettings } from '../domain/crawl-settings.ts';
import type { Resolution } from '../web/resolver.ts';
import type { ActivityDeps } from './deps.ts';
import type { Stay } from './stay.ts';

/** A name's addresses where they are known at once; else the look-up that is under way. */
export type LookUp =
  | { readonly kind: 'known'; readonly resolution: Resolution }
  | { readonly kind: 'underWay'; readonly finish: () => Promise<void> };

/**
 * Looks a name up without waiting: a look-up never lasts into a host's lease (R28). Where the answer is not at hand the
 * caller gives its lease back, finishes the look-up and claims again.
 */
export async function lookUp(
  { resolverFor }: ActivityDeps,
  stay: Stay,
  hostname: string,
  { dnsServers }: CrawlSettings,
): Promise<LookUp> {
  const looked = stay.names.get(hostname);
  if (looked !== undefined) return { kind: 'known', resolution: looked };

  const pending = resolverFor(dnsServers).resolve(hostname, stay.ending);
  pending.catch(() => undefined);
  const atHand = await Promise.race([pending, setImmediate(undefined)]);
  if (atHand !== undefined) return { kind: 'known', resolution: atHand };
  const finish = async (): Promise<void> => {
    stay.showing({ doing: `looking up ${hostname}` });
    stay.names.set(hostname, await pending);
  };
  return { kind: 'underWay', finish };
}
