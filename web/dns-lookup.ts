import { Resolver as CAresResolver } from 'node:dns/promises';
import type { RecordWithTtl } from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostsFile } from './hosts-file.ts';
import type { Resolution } from './resolver.ts';

/** A resolution and how long its name server vouches for it. */
export interface Lookup {
  readonly resolution: Resolution;
  readonly ttlMs: number;
}

export interface LookupOrder {
  readonly name: string;
  /** `host:port`; empty means the system's. */
  readonly servers: readonly string[];
  /** Comes before the servers, where there is one. */
  readonly hosts: HostsFile | undefined;
  readonly tryLengthsMs: readonly number[];
  readonly signal: AbortSignal;
}

/** Addresses of one host beyond this number are of no use to a client with one connection. */
const ADDRESS_LIMIT = 16;

/** After a server's quick refusal the next try waits this long at most: the server is there, so it needs no more. */
const QUICK_RETRY_MS = 1_000;

/**
 * Asks for a name's A and AAAA records, again while servers fail to answer, each try longer than the one before
 * (R28). What the hosts file says holds, as everywhere on the machine. Rejects only when `signal` is aborted.
 */
export async function lookUp(order: LookupOrder): Promise<Lookup> {
  const addresses = (await order.hosts?.(order.name)) ?? [];
  order.signal.throwIfAborted();
  if (addresses.length === 0) return askServers(order);
  return {
    resolution: { kind: 'resolved', addresses: addresses.slice(0, ADDRESS_LIMIT) },
    ttlMs: 0,
  };
}

async function askServers(order: LookupOrder): Promise<Lookup> {
  const usesSystem = order.servers.length === 0;
  let last: FamilyAnswer | undefined;
  for (const [index, lengthMs] of order.tryLengthsMs.entries()) {
    const startedAtMs = performance.now();
    const [v4, v6] = await askOnce(order, lengthMs);
    order.signal.throwIfAborted();
    const isLast = index === order.tryLengthsMs.length - 1;
    const isAnswered = v4.kind === 'records' || (v4.kind === 'none' && v6.kind !== 'noAnswer');
    // IPv6 addresses alone count as an answer only once the IPv4 ones had every chance.
    if (isAnswered || (isLast && v6.kind === 'records')) return settle(v4, v6);

    last = v4.kind === 'noAnswer' ? v4 : v6;
    if (usesSystem && last.kind === 'noAnswer' && last.code === 'ECONNREFUSED') break;

    const spentMs = performance.now() - startedAtMs;
    if (!isLast) await pause(Math.min(lengthMs - spentMs, QUICK_RETRY_MS), order.signal);
  }
  const code = last?.kind === 'noAnswer' ? last.code : 'no try';
  const detail = `no name server answered for ${order.name} (${code})`;
  return { resolution: { kind: 'failed', reason: 'nameServerFailed', detail }, ttlMs: 0 };
}

function settle(...answers: readonly FamilyAnswer[]): Lookup {
  const records = answers.flatMap((answer) => (answer.kind === 'records' ? answer.records : []));
  if (records.length === 0) {
    const code = answers.find((answer) => answer.kind === 'none')?.code ?? 'ENODATA';
    const detail = code === 'ENODATA' ? 'the name has no address' : `no such name (${code})`;
    return { resolution: { kind: 'failed', reason: 'nameNotFound', detail }, ttlMs: 0 };
  }
  const addresses = [...new Set(records.map(({ address }) => address))].slice(0, ADDRESS_LIMIT);
  const ttlMs = 1_000 * Math.min(...records.map(({ ttl }) => ttl));
  return { resolution: { kind: 'resolved', addresses }, ttlMs };
}

/** Of one question: records, the word that there are none, or no answer worth the name. */
type FamilyAnswer =
  | { readonly kind: 'records'; readonly records: readonly RecordWithTtl[] }
  | { readonly kind: 'none'; readonly code: string }
  | { readonly kind: 'noAnswer'; readonly code: string };

/** One try of both questions, all servers in turn; ends within `lengthMs`. */
async function askOnce(
  { name, servers, signal }: LookupOrder,
  lengthMs: number,
): Promise<readonly [FamilyAnswer, FamilyAnswer]> {
  const count = Math.max(1, servers.length || new CAresResolver().getServers().length);
  const resolver = new CAresResolver({ timeout: Math.ceil(lengthMs / count), tries: 1 });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => {
    resolver.cancel();
  };
  const timer = setTimeout(cancel, lengthMs);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.all([
      familyAnswer(resolver.resolve4(name, { ttl: true })),
      familyAnswer(resolver.resolve6(name, { ttl: true })),
    ]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

const NO_SUCH_RECORD = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

async function familyAnswer(question: Promise<RecordWithTtl[]>): Promise<FamilyAnswer> {
  try {
    const records = await question;
    return records.length > 0 ? { kind: 'records', records } : { kind: 'none', code: 'ENODATA' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { kind: NO_SUCH_RECORD.has(code) ? 'none' : 'noAnswer', code };
  }
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs > 0) await delay(waitMs, undefined, { signal });
}
