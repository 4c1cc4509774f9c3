import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Db } from '../db/pool.ts';
import { announceShortage, endShortage, wantedFreeBytes } from '../db/shortages.ts';
import type { Shortage } from '../domain/shortage.ts';
import { freeBytesOf, trialWrite } from '../store/disk-room.ts';
import type { Log } from './deps.ts';

/** How long a look at the disk is good for, in milliseconds; our choice. */
export const LOOK_EVERY_MS = 1_000;

/** How often a shortage that lasts is announced anew, in milliseconds: well within the time that a row counts. */
const ANNOUNCE_EVERY_MS = 5_000;

/** How long a refused write holds the worker back before the disk is tried again, in milliseconds; our choice. */
const REFUSED_FOR_MS = 5_000;

/** Whether the folder of pages has room for the next one. */
export interface DiskWatch {
  /** What is wanting, or `undefined` where there is room. Looked at once a second at most, however many visits ask. */
  readonly shortage: () => Promise<LackingRoom | undefined>;
  /** The disk refused a page: there is no room, whatever it says is free, until it takes a trial write. */
  readonly refused: (refusal: Error) => void;
}

/** A shortage as the worker that meets it knows it. */
export type LackingRoom = Omit<Shortage, 'since'>;

/**
 * Watches the disk of one folder on behalf of all visits of a process, and announces what it sees. While a shortage lasts
 * it looks by itself, until `stopping`: a Temporal on the same full disk may call no visit that would.
 */
export function watchDisk({
  db,
  dir,
  log,
  stopping,
}: {
  readonly db: Db;
  readonly dir: string;
  readonly log: Log;
  readonly stopping: AbortSignal;
}): DiskWatch {
  const place = `${hostname()}:${resolve(dir)}`;
  let latest:
    { readonly atMs: number; readonly found: Promise<LackingRoom | undefined> } | undefined;
  let refused: { readonly atMs: number; readonly refusal: Error } | undefined;
  let announcedMs: number | undefined;
  let lookingOn: NodeJS.Timeout | undefined;

  async function look(): Promise<LackingRoom | undefined> {
    const [wantedBytes, freeBytes] = await Promise.all([wantedFreeBytes(db), freeBytesOf(dir)]);
    const refusal = (await refusalNow())?.message ?? null;
    const found =
      freeBytes < wantedBytes || refusal !== null
        ? { place, freeBytes, wantedBytes, refusal }
        : undefined;
    await tell(found);
    if (found === undefined && refused === undefined) lookNoMore();
    else lookOn();
    return found;
  }

  async function refusalNow(): Promise<Error | undefined> {
    const standing = refused;
    if (standing === undefined) return undefined;
    if (performance.now() - standing.atMs < REFUSED_FOR_MS) return standing.refusal;
    const refusal = await trialWrite(dir);
    // A refusal that came meanwhile stands.
    if (refused === standing)
      refused = refusal === undefined ? undefined : { atMs: performance.now(), refusal };
    return refusal;
  }

  /** A Postgres on the same full disk may not be able to write it down: holding back matters more. */
  async function tell(found: LackingRoom | undefined): Promise<void> {
    try {
      if (found !== undefined) await announce(found);
      else if (announcedMs !== undefined) await endAnnounced();
    } catch (error) {
      log.warn({ place, error: String(error) }, 'a shortage of room could not be written down');
    }
  }

  async function announce(found: LackingRoom): Promise<void> {
    const nowMs = performance.now();
    if (announcedMs === undefined) log.warn(found, 'no room for pages: holding back');
    else if (nowMs - announcedMs < ANNOUNCE_EVERY_MS) return;
    announcedMs = nowMs;
    await announceShortage(db, found);
  }

  async function endAnnounced(): Promise<void> {
    await endShortage(db, place);
    announcedMs = undefined;
    log.info({ place }, 'there is room for pages again');
  }

  function lookOn(): void {
    if (stopping.aborted) return;
    lookingOn ??= setInterval(() => void shortage().catch(() => undefined), LOOK_EVERY_MS).unref();
  }

  function lookNoMore(): void {
    clearInterval(lookingOn);
    lookingOn = undefined;
  }

  function shortage(): Promise<LackingRoom | undefined> {
    const nowMs = performance.now();
    if (latest === undefined || nowMs - latest.atMs >= LOOK_EVERY_MS) {
      latest = { atMs: nowMs, found: look() };
    }
    return latest.found;
  }

  stopping.addEventListener('abort', lookNoMore);
  return {
    shortage,
    refused: (refusal) => {
      refused = { atMs: performance.now(), refusal };
      latest = undefined;
      lookOn();
    },
  };
}
