/** A stretch of every day, by a time zone's own clock; one that ends before it begins goes over midnight. */
export interface OpenHours {
  /** `22:00-06:00 Europe/Berlin`: what `parseOpenHours` reads again. */
  readonly text: string;
  /** Minutes since midnight: the first that is open, and the first that isn't any more. */
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly zone: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** No clock is put forward or back by more than this, in minutes. */
const LONGEST_SHIFT = 120;

/**
 * Reads hours as people type them: `22-06`, `8:30-17:00 Europe/Berlin`; without a zone they are UTC's. `undefined` for
 * anything else: a zone that isn't known, an hour that isn't there, or a stretch of no length.
 */
export function parseOpenHours(text: string): OpenHours | undefined {
  const [, from = '', to = '', named = 'UTC'] =
    /^(\S+?)-(\S+?)(?:\s+(\S+))?$/u.exec(text.trim()) ?? [];
  const fromMinute = minuteOf(from);
  const toMinute = minuteOf(to);
  const zone = zoneOf(named);
  if (fromMinute === undefined || toMinute === undefined || zone === undefined) return undefined;
  if (fromMinute === toMinute) return undefined;
  return {
    text: `${clockText(fromMinute)}-${clockText(toMinute)} ${zone}`,
    fromMinute,
    toMinute,
    zone,
  };
}

/** Whether it is open at this instant, in milliseconds since 1970. */
export function isOpenAt({ fromMinute, toMinute, zone }: OpenHours, atMs: number): boolean {
  const minute = localMinute(zone, atMs);
  return fromMinute < toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}

/**
 * The instant, to the minute, from which it is open again; `atMs` itself where it is open. Where clocks are put forward
 * past the opening it opens with the first minute that there is; hours that a day hasn't got are the next day's.
 */
export function opensAtMs(hours: OpenHours, atMs: number): number {
  if (isOpenAt(hours, atMs)) return atMs;
  const aheadMinutes =
    (hours.fromMinute - localMinute(hours.zone, atMs) + DAY_MINUTES) % DAY_MINUTES;
  // By the clock as it goes now; from before any shift on, every minute is asked. One that is put back may open again soon.
  const isJustPast = aheadMinutes > DAY_MINUTES - LONGEST_SHIFT;
  const soonest = isJustPast ? 1 : Math.max(aheadMinutes - LONGEST_SHIFT, 1);
  const thisMinuteMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  for (let ahead = soonest; ahead <= 2 * DAY_MINUTES; ahead += 1) {
    const thenMs = thisMinuteMs + ahead * MINUTE_MS;
    if (isOpenAt(hours, thenMs)) return thenMs;
  }
  return thisMinuteMs + 2 * DAY_MINUTES * MINUTE_MS;
}

function minuteOf(text: string): number | undefined {
  const [, hour, minute = '00'] = /^(\d{1,2})(?::(\d\d))?$/u.exec(text) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  // 24 is the midnight at a day's end.
  const isThere = hour !== undefined && Number(minute) < 60 && minutes <= DAY_MINUTES;
  return isThere ? minutes % DAY_MINUTES : undefined;
}

function clockText(minute: number): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

function zoneOf(named: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: named }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Made once a zone: making one takes longer than a hundred uses. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function localMinute(zone: string, atMs: number): number {
  const clock = clocks.get(zone) ?? clockOf(zone);
  const parts = new Map(clock.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  return (parts.get('hour') ?? 0) * 60 + (parts.get('minute') ?? 0);
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  clocks.set(zone, clock);
  return clock;
}
