import { Client } from 'undici';
import type { Dispatcher } from 'undici';
import { AnswerRecorder, MAX_HEADER_BYTES } from './answer-recorder.ts';
import type { AnswerHead, ExchangeEnd, RecorderOrder } from './answer-recorder.ts';
import { Connection } from './connection.ts';
import type { ConnectionOrder } from './connection.ts';
import type { HeaderFields } from './header-fields.ts';

/** One GET and its limits. */
export interface ExchangeOrder extends ConnectionOrder, RecorderOrder {
  readonly url: URL;
  readonly headers: HeaderFields;
  /** From the first packet to the last byte of the body. */
  readonly pageTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** What one HTTP exchange left behind. */
export interface Exchange {
  readonly end: ExchangeEnd;
  readonly head: AnswerHead | undefined;
  /** Dechunked, still content-encoded, cut at the limit. */
  readonly rawBody: Buffer;
  readonly httpVersion: string;
  readonly remoteAddress: string;
}

/**
 * One GET over a connection of its own, which is closed at the end: a host never sees an idle connection of ours,
 * nor a second one (R8). Redirects are not followed (R25). Never rejects for what the web does.
 */
export function exchange(order: ExchangeOrder): Promise<Exchange> {
  return new Promise((resolve) => {
    const connection = new Connection(order, (wireBytes) => {
      recorder.weigh(wireBytes);
    });
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
    const recorder = new AnswerRecorder(order, (end) => {
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
