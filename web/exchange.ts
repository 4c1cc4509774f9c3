import { isUtf8 } from 'node:buffer';
import { Client, errors } from 'undici';
import type { Dispatcher } from 'undici';
import { Connection } from './connection.ts';
import type { ConnectionOrder } from './connection.ts';
import { FetchFailure } from './fetch-failure.ts';

/** Header fields in the order in which they were sent; names as they were spelt. */
export type HeaderFields = readonly (readonly [string, string])[];

/** One GET and its limits. */
export interface ExchangeOrder extends ConnectionOrder {
  readonly url: URL;
  readonly headers: HeaderFields;
  /** From the first packet to the last byte of the body. */
  readonly pageTimeoutMs: number;
  /** Of the body as it was transferred. */
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
}

/** Status line and header fields of a final answer; 1xx answers are passed over. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderFields;
}

/** How the exchange came to its end. */
export type ExchangeEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'overLimit' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'broken'; readonly failure: FetchFailure };

/** What one HTTP exchange left behind. */
export interface Exchange {
  readonly end: ExchangeEnd;
  readonly head: AnswerHead | undefined;
  /** Dechunked, still content-encoded, cut at the limit. */
  readonly rawBody: Buffer;
  readonly httpVersion: string;
  readonly remoteAddress: string;
}

/** The most bytes of header fields that are read; beyond, the answer is malformed. */
const MAX_HEADER_BYTES = 65_536;

/** Most pages fit. */
const FIRST_ROOM_BYTES = 32_768;

/**
 * One GET over a connection of its own, which is closed at the end: a host never sees an idle connection of ours,
 * nor a second one (R8). Redirects are not followed (R25). Never rejects for what the web does.
 */
export function exchange(order: ExchangeOrder): Promise<Exchange> {
  return new Promise((resolve) => {
    const connection = new Connection(order);
    const client = new Client(order.url.origin, {
      connect: connection.connector,
      pipelining: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const abandon = () => {
      recorder.end({ kind: 'abandoned' });
    };
    const recorder = new AnswerRecorder(order.maxBodyBytes, (end) => {
      clearTimeout(timer);
      order.signal.removeEventListener('abort', abandon);
      const { head, rawBody } = recorder;
      const { httpVersion, remoteAddress } = connection;
      connection.close();
      void client.destroy();
      resolve({ end, head, rawBody, httpVersion, remoteAddress });
    });
    const timer = setTimeout(() => {
      recorder.end({ kind: 'timedOut' });
    }, order.pageTimeoutMs);
    order.signal.addEventListener('abort', abandon, { once: true });

    if (order.signal.aborted) abandon();
    else client.dispatch(getRequest(order), recorder);
  });
}

function getRequest({ url, headers }: ExchangeOrder): Dispatcher.DispatchOptions {
  return {
    method: 'GET',
    path: `${url.pathname}${url.search}`,
    headers: headers.flat(),
  };
}

/** Keeps what arrives, up to the limit, and says once how it ended. */
class AnswerRecorder implements Dispatcher.DispatchHandler {
  readonly #maxBodyBytes: number;
  readonly #onEnd: (end: ExchangeEnd) => void;
  #room = Buffer.allocUnsafeSlow(FIRST_ROOM_BYTES);
  #bodyBytes = 0;
  #ended = false;
  head: AnswerHead | undefined;

  constructor(maxBodyBytes: number, onEnd: (end: ExchangeEnd) => void) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#onEnd = onEnd;
  }

  get rawBody(): Buffer {
    return Buffer.from(this.#room.subarray(0, this.#bodyBytes));
  }

  end(end: ExchangeEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(end);
  }

  /** undici takes a handler that has this method for one of the present kind, with raw header fields. */
  onRequestStart(): void {
    return;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText?: string,
  ): void {
    if (status < 200) return;
    const headers = fieldsOf(controller.rawHeaders);
    this.head = { status, statusText: statusText ?? '', headers };
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#ended) return;
    const kept = chunk.subarray(0, this.#maxBodyBytes - this.#bodyBytes);
    this.#append(kept);
    if (kept.length < chunk.length) this.end({ kind: 'overLimit' });
  }

  /** Copied, not collected: a body in chunks of one byte would cost a hundred times its size. */
  #append(chunk: Buffer): void {
    const bodyBytes = this.#bodyBytes + chunk.length;
    if (bodyBytes > this.#room.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(bodyBytes, 2 * this.#room.length));
      this.#room.copy(wider, 0, 0, this.#bodyBytes);
      this.#room = wider;
    }
    chunk.copy(this.#room, this.#bodyBytes);
    this.#bodyBytes = bodyBytes;
  }

  onResponseEnd(): void {
    this.end({ kind: 'complete' });
  }

  onResponseError(_controller: unknown, error: Error): void {
    // Before the head is whole, undici calls any fault of it a wrong length, if it names a length.
    const isHeadFault =
      this.head === undefined && error instanceof errors.ResponseContentLengthMismatchError;
    const failure = FetchFailure.from(error, isHeadFault ? 'malformedAnswer' : 'connectionLost');
    this.end({ kind: 'broken', failure });
  }
}

function fieldsOf(raw: Dispatcher.DispatchController['rawHeaders']): HeaderFields {
  if (!Array.isArray(raw)) return [];
  const words = raw.map((word) => (Buffer.isBuffer(word) ? textOf(word) : word));
  const fields: [string, string][] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    fields.push([words[index] ?? '', words[index + 1] ?? '']);
  }
  return fields;
}

/** Header bytes are Latin-1 by the standard (RFC 9110 §5.5), UTF-8 in the field, where they are valid as such. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
