/** Header lines in the order of the wire, one character a byte (latin1), as Node's HTTP clients give them. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** One GET and its answer, as they shall be kept: the input of `WarcStore.write`. */
export interface ArchivedExchange {
  readonly crawl: string;
  /** The request URL. */
  readonly url: string;
  readonly fetchedAt: Date;
  /** The IP address that answered. */
  readonly remoteAddress: string;
  readonly requestHeaders: HeaderLines;
  readonly status: number;
  readonly statusText: string;
  /** `HTTP/1.1`, `HTTP/1.0` or `HTTP/2`, which is kept in the form of HTTP/1.1. */
  readonly httpVersion: string;
  readonly headers: HeaderLines;
  /** The body without its chunk framing, its Content-Encoding untouched. */
  readonly rawBody: Uint8Array;
  /** Whether `rawBody` was cut at the size limit (R26). */
  readonly truncated: boolean;
  /** The record that a 304 says still holds; absent for any other answer. */
  readonly revisits?: RevisitedRecord | undefined;
}

/** What a revisit record refers to (WARC/1.1 §6.7.3). */
export interface RevisitedRecord {
  readonly url: string;
  readonly digest: string;
  /** As in its `WARC-Record-ID`. */
  readonly recordId: string;
  /** As in its `WARC-Date`. */
  readonly recordedAt: string;
}

/** Where a response record lies: one gzip member of a WARC file. Kept in `fetch_record`. */
export interface WarcPlace {
  /** Relative to the store's folder. */
  readonly file: string;
  /** In bytes, from the file's start. */
  readonly offset: number;
  /** Of the compressed record, in bytes. */
  readonly length: number;
  /** The response's `WARC-Record-ID`. */
  readonly recordId: string;
  /** `sha1:` and the base32 payload digest (WARC/1.1 §5.9); of a revisit, that of what it refers to. */
  readonly digest: string;
}
