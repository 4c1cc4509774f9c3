import { AnswerRecorder } from './answer-recorder.ts';
import type { AnswerHead, ExchangeEnd, RecorderOrder } from './answer-recorder.ts';
import { Connection, hasChosenHttp2 } from './connection.ts';
import type { ConnectionOrder } from './connection.ts';
import type { Conversation } from './conversation.ts';
import { FetchFailure } from './fetch-failure.ts';
import type { HeaderFields } from './header-fields.ts';
import { http1Conversation } from './http1-conversation.ts';
import { http2Conversation } from './http2-conversation.ts';

/** One GET and its limits. */
export interface ExchangeOrder extends ConnectionOrder, RecorderOrder {
  readonly url: URL;
  /** But for `Host` and `Connection`, which are the protocol's own. */
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
  /** As the host's status line names it, such as `HTTP/1.0`, or `HTTP/2`; `HTTP/1.1` where nothing was read. */
  readonly httpVersion: string;
  readonly remoteAddress: string;
}

/**
 * One GET over a connection of its own, which is closed at the end: a host never sees an idle connection of ours,
 * nor a second one (R8), nor a second request on one. HTTP/2 is spoken where it was offered and the host chose it.
 * Redirects are not followed (R25). Never rejects for what the web does.
 */
export function exchange(order: ExchangeOrder): Promise<Exchange> {
  return new Promise((resolve) => {
    const connection = new Connection(order);
    let conversation: Conversation | undefined;
    const abandon = () => {
      recorder.end({ kind: 'abandoned' });
    };
    const recorder = new AnswerRecorder(order, (end) => {
      clearTimeout(timer);
      order.signal.removeEventListener('abort', abandon);
      const { head, rawBody } = recorder;
      const httpVersion = conversation?.httpVersion ?? 'HTTP/1.1';
      const { remoteAddress } = connection;
      conversation?.hangUp();
      connection.close();
      resolve({ end, head, rawBody, httpVersion, remoteAddress });
    });
    const timer = setTimeout(() => {
      recorder.end({ kind: 'timedOut' });
    }, order.pageTimeoutMs);
    order.signal.addEventListener('abort', abandon, { once: true });

    if (order.signal.aborted) {
      abandon();
      return;
    }
    connection.open(order.url).then(
      (socket) => {
        // Whoever ended the exchange in this very moment has closed the socket.
        if (recorder.hasEnded) return;
        const speak = hasChosenHttp2(socket) ? http2Conversation : http1Conversation;
        conversation = speak(order, socket, recorder);
        conversation.begin();
      },
      (error: unknown) => {
        recorder.break(FetchFailure.from(error, 'connectFailed'));
      },
    );
  });
}
