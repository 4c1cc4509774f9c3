import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

import type { Answer, RetryAfter } from './web-answers.ts';
import { referenceTo, renderPage, renderSitemap, urlOf } from './web-pages.ts';
import type { Ending } from './web-requests.ts';
import type { MalformedForm, Place } from './web-resources.ts';

/** What an answer is written for. */
export interface Sending {
  readonly place: Place;
  readonly pageBytes: number;
  readonly port: number;
  readonly seed: number;
}

/**
 * Sends an answer and tells `end` once how the request ended. The end of an answer is the instant *before* its last
 * byte is handed over, so that a client never sees it earlier than the judge, however late this process is. Only of
 * an answer too large for the socket's buffers (megabytes) is the end heard of afterwards.
 */
export function send(
  response: ServerResponse,
  answer: Answer,
  sending: Sending,
  end: (ending: Ending) => void,
): void {
  switch (answer.kind) {
    case 'hang':
      return;
    case 'malformed':
      sendMalformed(response, answer.form, end);
      return;
    case 'page':
    case 'sitemap':
    case 'robots':
    case 'redirect':
    case 'refusal':
      sendWhole(response, wholeAnswer(answer, sending), end);
  }
}

interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly retryAtMs?: number;
  readonly location?: string;
}

type Whole = Exclude<Answer, { readonly kind: 'hang' | 'malformed' }>;

function wholeAnswer(answer: Whole, sending: Sending): WholeAnswer {
  switch (answer.kind) {
    case 'page':
      return { status: 200, headers: HTML, body: renderPage({ ...answer.page, ...sending }) };
    case 'sitemap':
      return {
        status: 200,
        headers: answer.sitemap.form === 'lines' ? PLAIN : XML,
        body: renderSitemap(answer.sitemap, sending.port),
      };
    case 'robots':
      return { status: 200, headers: PLAIN, body: answer.text };
    case 'redirect': {
      const { port, place } = sending;
      const headers = { ...PLAIN, location: referenceTo(answer.to, place.host, port) };
      const location = urlOf(answer.to, port);
      return { status: answer.status, headers, body: `See ${location}\n`, location };
    }
    case 'refusal':
      return refusal(answer.status, answer.retryAfter);
  }
}

function refusal(status: number, retryAfter: RetryAfter | undefined): WholeAnswer {
  const body = `${status}\n`;
  if (retryAfter === undefined) return { status, headers: PLAIN, body };

  const nowMs = Date.now();
  const wantedMs = nowMs + retryAfter.seconds * 1_000;
  // A date has whole seconds, and must not ask for less than was wanted.
  const retryAtMs = retryAfter.form === 'date' ? Math.ceil(wantedMs / 1_000) * 1_000 : wantedMs;
  const value =
    retryAfter.form === 'date' ? new Date(retryAtMs).toUTCString() : String(retryAfter.seconds);
  return {
    status,
    headers: { ...PLAIN, 'retry-after': value },
    body,
    retryAtMs: performance.now() + retryAtMs - nowMs,
  };
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const XML = { 'content-type': 'application/xml' };
const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

function sendWhole(
  response: ServerResponse,
  { status, headers, body, retryAtMs, location }: WholeAnswer,
  end: (ending: Ending) => void,
): void {
  const answered = (endMs: number) => {
    end({ kind: 'answered', endMs, status, retryAtMs, location });
  };
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...headers, 'content-length': length });

  const beforeMs = performance.now();
  response.end(body);
  if (response.socket?.writableLength === 0) answered(beforeMs);
  else
    response.once('finish', () => {
      answered(performance.now());
    });
}

const MALFORMED_ANSWERS: Readonly<Record<MalformedForm, string>> = {
  longLength: 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n<p>half',
  shortLength:
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 7\r\nconnection: close\r\n\r\n<p>too much for that length',
  cutChunks:
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n6\r\n<p>cut\r\n',
  earlyClose: '',
  notHttp: '\u0000\u0001 this is no HTTP at all\r\n\r\n',
};

function sendMalformed(
  response: ServerResponse,
  form: MalformedForm,
  end: (ending: Ending) => void,
): void {
  end({ kind: 'malformed', endMs: performance.now() });
  response.socket?.end(MALFORMED_ANSWERS[form]);
}
