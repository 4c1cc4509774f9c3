import { connect } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpStatusHeader } from 'node:http2';
import { MAX_HEADER_BYTES } from './answer-recorder.ts';
import type { AnswerRecorder } from './answer-recorder.ts';
import type { AskedFor, Speak } from './conversation.ts';
import { FetchFailure } from './fetch-failure.ts';
import { frameTap } from './frame-tap.ts';
import {
  END_STREAM,
  errorCodeOf,
  errorName,
  FRAME,
  HTTP_1_1_REQUIRED,
  NO_ERROR,
} from './http2-frames.ts';
import type { Frame } from './http2-frames.ts';

/** What a header field weighs beyond its bytes (RFC 9113 §6.5.2). */
const FIELD_OVERHEAD_BYTES = 32;

/** How much may be under way to us, in bytes: 64 KiB, the standard's, is little on a long line. Our choice. */
const WINDOW_BYTES = 1_048_576;

/** The first stream that a client opens (RFC 9113 §5.1.1), and here the only one. */
const STREAM = 1;

/** HTTP/2 by `node:http2`: one request on a session, which is closed at its end. */
export const http2Conversation: Speak = (asked, socket, recorder) => {
  const said = new HostsWord();
  let session: ClientHttp2Session | undefined;
  const tap = frameTap(socket, {
    onBytes: (wireBytes) => {
      recorder.weigh(wireBytes);
    },
    onFrameIn: (frame) => {
      said.hear(frame);
    },
    onFrameOut: (frame) => {
      const code = frame.type === FRAME.goAway ? errorCodeOf(frame) : NO_ERROR;
      if (code === undefined || code === NO_ERROR) return;
      // An error that says more may follow; where none does, nothing else would tell that the session is over.
      setImmediate(() => {
        recorder.break(said.failure(malformed(errorName(code))));
      });
    },
  });
  tap.on('error', (error) => {
    recorder.break(said.failure(FetchFailure.from(error, 'connectionLost')));
  });
  return {
    httpVersion: 'HTTP/2',
    begin: () => {
      session = connect(asked.url.origin, {
        createConnection: () => tap,
        maxHeaderListPairs: MAX_HEADER_BYTES / FIELD_OVERHEAD_BYTES,
        settings: {
          enablePush: false,
          initialWindowSize: WINDOW_BYTES,
          maxHeaderListSize: MAX_HEADER_BYTES,
        },
      });
      converse(session, asked, recorder, said);
    },
    hangUp: () => {
      session?.destroy();
      tap.destroy();
    },
  };
};

function converse(
  session: ClientHttp2Session,
  asked: AskedFor,
  recorder: AnswerRecorder,
  said: HostsWord,
): void {
  const broke = (error: Error) => {
    recorder.break(said.failure(faultOf(error)));
  };
  const over = () => {
    if (said.isWhole) recorder.onResponseEnd();
    else recorder.break(said.failure(new FetchFailure('connectionLost', 'the connection ended')));
  };
  session.on('error', broke);
  session.on('close', over);
  session.on('connect', () => {
    session.setLocalWindowSize(WINDOW_BYTES);
  });
  session.on('stream', refuse);

  const stream = session.request(fieldsToSend(asked), { endStream: true });
  stream.on('error', broke);
  stream.on(
    'response',
    (answer: IncomingHttpStatusHeader, _flags: number, rawHeaders: readonly string[]) => {
      const fields = rawFields(rawHeaders);
      if (weightOf(fields) > MAX_HEADER_BYTES) recorder.break(headerFlood());
      else recorder.begin(Number(answer[':status']), fields);
    },
  );
  stream.on('data', (chunk: Buffer) => {
    recorder.take(chunk);
  });
  stream.on('end', over);
  stream.on('close', over);
}

/** What the host said of the stream beside its answer. */
class HostsWord {
  #isWhole = false;
  #refusal: FetchFailure | undefined;

  /** Whether the host has ended its answer. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  hear(frame: Frame): void {
    const code = errorCodeOf(frame);
    if (frame.type === FRAME.goAway) {
      if (code === undefined) return;
      const isForUs = (frame.start.readUInt32BE(0) & 0x7fffffff) < STREAM;
      if (isForUs || code !== NO_ERROR) this.#refusal ??= refusalBy('went away', code);
      return;
    }
    if (frame.stream !== STREAM) return;
    if (code !== undefined) this.#refusal ??= refusalBy('reset the stream', code);
    const isOfAnswer = frame.type === FRAME.data || frame.type === FRAME.headers;
    if (isOfAnswer && (frame.flags & END_STREAM) !== 0) this.#isWhole = true;
  }

  /** Why there is no whole answer: what the host said goes before what was noticed here. */
  failure(noticed: FetchFailure): FetchFailure {
    return this.#refusal ?? noticed;
  }
}

function refusalBy(deed: string, code: number): FetchFailure {
  const reason = code === HTTP_1_1_REQUIRED ? 'http1Required' : 'connectionLost';
  return new FetchFailure(reason, `the host ${deed}: ${errorName(code)}`);
}

function malformed(fault: string): FetchFailure {
  return new FetchFailure('malformedAnswer', `not HTTP/2: ${fault}`);
}

function headerFlood(): FetchFailure {
  return new FetchFailure('malformedAnswer', 'header fields over 64 KiB');
}

/** What `node:http2` found wrong by itself is the host's HTTP/2; what the socket did is its connection. */
function faultOf(error: Error): FetchFailure {
  const code = 'code' in error ? String(error.code) : '';
  if (!code.startsWith('ERR_HTTP2_')) return FetchFailure.from(error, 'connectionLost');
  const name = /NGHTTP2_(\w+)/.exec(error.message)?.[1];
  return name === 'ENHANCE_YOUR_CALM' ? headerFlood() : malformed(name ?? error.message);
}

/** A host may push until it has read that it may not. */
function refuse(pushed: ClientHttp2Stream): void {
  pushed.on('error', () => undefined);
  pushed.close();
}

function fieldsToSend({ url, headers }: AskedFor): Record<string, string> {
  return {
    ':method': 'GET',
    ':scheme': 'https',
    ':authority': url.host,
    ':path': `${url.pathname}${url.search}`,
    ...Object.fromEntries(headers),
  };
}

/** Names and values by turns, as bytes, without what stands for the status line. */
function rawFields(raw: readonly string[]): Buffer[] {
  return raw
    .filter((_word, index) => raw[index - (index % 2)]?.startsWith(':') === false)
    .map((word) => Buffer.from(word, 'latin1'));
}

function weightOf(words: readonly Buffer[]): number {
  const bytes = words.reduce((sum, word) => sum + word.length, 0);
  return bytes + (FIELD_OVERHEAD_BYTES * words.length) / 2;
}
