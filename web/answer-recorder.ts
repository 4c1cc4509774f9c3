import { errors } from 'undici';
import type { Dispatcher } from 'undici';
import { hasNoBody } from '../domain/answer.ts';
import { FetchFailure } from './fetch-failure.ts';
import { fieldsOf, locationOf } from './header-fields.ts';
import type { HeaderFields, RawHeaders } from './header-fields.ts';

/** Status line and header fields of a final answer; 1xx answers are passed over. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderFields;
  /** The first `Location`; bytes that are no UTF-8 are percent-encoded, so that they go back as they came. */
  readonly location: string | undefined;
}

/** How the exchange came to its end. */
export type ExchangeEnd =
  | { readonly kind: 'complete' }
  | { readonly kind: 'overLimit' }
  | { readonly kind: 'unwanted' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'broken'; readonly failure: FetchFailure };

/** How much of an answer is kept. */
export interface RecorderOrder {
  /** Of the body as it was transferred. */
  readonly maxBodyBytes: number;
  /** Whether the body is worth reading; else the connection is closed after the head. */
  readonly wantsBody: (head: AnswerHead) => boolean;
}

/** The most bytes of header fields that are read; beyond, the answer is malformed. */
export const MAX_HEADER_BYTES = 65_536;

/** The most bytes before the end of the final head, 1xx answers included; our choice. */
const MAX_BYTES_BEFORE_BODY = 4 * MAX_HEADER_BYTES;

/** How much longer than its body a transfer may be, by chunk sizes, extensions and trailers; our choice. */
const TRANSFER_FACTOR = 2;

/** Most pages fit. */
const FIRST_ROOM_BYTES = 32_768;

/** Keeps what arrives, up to the limit, and says once how it ended. */
export class AnswerRecorder implements Dispatcher.DispatchHandler {
  readonly #maxBodyBytes: number;
  readonly #wantsBody: RecorderOrder['wantsBody'];
  readonly #onEnd: (end: ExchangeEnd) => void;
  #room = Buffer.allocUnsafeSlow(FIRST_ROOM_BYTES);
  #bodyBytes = 0;
  #ended = false;
  head: AnswerHead | undefined;

  constructor({ maxBodyBytes, wantsBody }: RecorderOrder, onEnd: (end: ExchangeEnd) => void) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#wantsBody = wantsBody;
    this.#onEnd = onEnd;
  }

  get rawBody(): Buffer {
    return Buffer.from(this.#room.subarray(0, this.#bodyBytes));
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  end(end: ExchangeEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(end);
  }

  /** Ends what brings ever more bytes and never a page. */
  weigh(wireBytes: number): void {
    if (this.head !== undefined) {
      const most = MAX_BYTES_BEFORE_BODY + TRANSFER_FACTOR * this.#maxBodyBytes;
      if (wireBytes > most) this.end({ kind: 'overLimit' });
    } else if (wireBytes > MAX_BYTES_BEFORE_BODY) {
      this.break(new FetchFailure('malformedAnswer', 'no end of header fields and 1xx answers'));
    }
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
    this.begin(status, controller.rawHeaders, statusText);
  }

  /** Takes a head; one of 1xx is passed over. */
  begin(status: number, rawHeaders: RawHeaders, statusText = ''): void {
    if (status < 200) return;
    const headers = fieldsOf(rawHeaders);
    this.head = { status, statusText, headers, location: locationOf(rawHeaders) };
    if (hasNoBody(status)) this.end({ kind: 'complete' });
    else if (!this.#wantsBody(this.head)) this.end({ kind: 'unwanted' });
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.take(chunk);
  }

  /** Takes the next piece of the body. */
  take(chunk: Buffer): void {
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
    this.break(FetchFailure.from(error, isHeadFault ? 'malformedAnswer' : 'connectionLost'));
  }

  /** Ends an exchange that came to no whole answer. */
  break(failure: FetchFailure): void {
    this.end({ kind: 'broken', failure });
  }
}
