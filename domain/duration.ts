const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const PART = /(\d+(?:\.\d+)?)\s*(ms|min|s|m|h|d)\s*/gu;
const DURATION = new RegExp(String.raw`^(?:${PART.source})+$`, 'u');

/**
 * Reads a duration as people type it: `250ms`, `90s`, `1h30m`, `2 h 5 min`, a plain number of seconds. Whole
 * milliseconds; `undefined` for anything else, negative ones too.
 */
export function parseDurationMs(text: string): number | undefined {
  const typed = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/u.test(typed)) return whole(Number(typed) * 1_000);
  if (!DURATION.test(typed)) return undefined;

  const parts = [...typed.matchAll(PART)];
  return whole(
    parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0), 0),
  );
}

/** A duration for people, in at most two units: `250 ms`, `1.2 s`, `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${Number((ms / 1_000).toFixed(1))} s`;

  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 's');

  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return twoUnits(minutes, 60, 'h', 'min');
  return twoUnits(Math.round(minutes / 60), 24, 'd', 'h');
}

function whole(ms: number): number | undefined {
  return Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : undefined;
}

function twoUnits(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  const head = `${Math.floor(total / size)} ${large}`;
  return rest === 0 ? head : `${head} ${rest} ${small}`;
}
