/** Media types, or families of them such as `video/*`, in small letters. */
export type MediaRanges = readonly string[];

/** The type and subtype of a `Content-Type`, in small letters and without parameters; empty where there is none. */
export function mediaTypeOf(contentType: string): string {
  const [essence = ''] = contentType.split(';');
  return essence.trim().toLowerCase();
}

/** Whether a `Content-Type` is of one of these types. What names no type is of none: it may be anything. */
export function isOfType(contentType: string, ranges: MediaRanges): boolean {
  const type = mediaTypeOf(contentType);
  const [family = ''] = type.split('/');
  return ranges.some((range) => range === type || range === `${family}/*`);
}

/** Reads a type or a family as people write it; `undefined` where it is neither. */
export function parseMediaRange(text: string): string | undefined {
  const range = text.trim().toLowerCase();
  return /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/u.test(range)
    ? range
    : undefined;
}
