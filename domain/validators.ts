import { parseHttpDateMs } from './http-date.ts';

/** What tells one version of a page from the next (RFC 9110 §8.8), fit to be sent back as it came. */
export interface Validators {
  /** With its quotes, and its `W/` where it is weak. */
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Validators, and the very URL that gave them: to no other are they sent. */
export interface ValidatorsOfUrl extends Validators {
  readonly url: string;
}

/** A URL's last whole answer that gave validators, and where it is kept. */
export interface LastAnswer extends ValidatorsOfUrl {
  /** Of the body, as in its WARC record. */
  readonly digest: string;
  /** `<urn:uuid:…>` of the WARC record that has the body. */
  readonly recordId: string;
  /** That record's `WARC-Date`, ISO 8601 in UTC. */
  readonly recordedAt: string;
  /** Whether it was read as a sitemap, so that it is no page. */
  readonly isSitemap: boolean;
}

/** The most characters of a tag or date that are kept and sent again; our choice, well above what servers make. */
const MAX_VALIDATOR_CHARS = 512;

/** RFC 9110 §8.8.3, without obs-text: bytes beyond ASCII are spelt in one way here and in another there. */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/u;

const PRINTABLE = /^[\x20-\x7e]+$/u;

/**
 * The validators among an answer's fields; `undefined` where it gives none that can be sent. A tag must be one by its
 * grammar and a date must be a date (RFC 9110 §5.6.7); both are kept as they were written, never printed anew.
 */
export function validatorsOf(
  etag: string | undefined,
  lastModified: string | undefined,
): Validators | undefined {
  const usable = { etag: usableTag(etag), lastModified: usableDate(lastModified) };
  return usable.etag === null && usable.lastModified === null ? undefined : usable;
}

/** The request header fields that ask for a page only if it has changed (RFC 9110 §13.1.2, §13.1.3). */
export function conditionsOf({
  etag,
  lastModified,
}: Validators): readonly (readonly [string, string])[] {
  return [
    ...(etag === null ? [] : [['if-none-match', etag] as const]),
    ...(lastModified === null ? [] : [['if-modified-since', lastModified] as const]),
  ];
}

/**
 * Whether a 304 speaks of another version than the one asked about (RFC 9111 §4.3.4): its tag is not the one sent,
 * by weak comparison. Such servers compare dates only, and two versions may be of one second.
 */
export function isOfAnother({ etag: sent }: Validators, given: string | undefined): boolean {
  const tag = usableTag(given);
  return sent !== null && tag !== null && opaque(sent) !== opaque(tag);
}

function usableTag(etag: string | undefined): string | null {
  return etag !== undefined && etag.length <= MAX_VALIDATOR_CHARS && ENTITY_TAG.test(etag)
    ? etag
    : null;
}

function usableDate(date: string | undefined): string | null {
  if (date === undefined || date.length > MAX_VALIDATOR_CHARS || !PRINTABLE.test(date)) return null;
  // Whether it is a date doesn't hang on the present, only the century of one with two digits does.
  return parseHttpDateMs(date, 0) === undefined ? null : date;
}

function opaque(etag: string): string {
  return etag.replace(/^W\//u, '');
}
