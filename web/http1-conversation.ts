import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import { MAX_HEADER_BYTES } from './answer-recorder.ts';
import type { AnswerRecorder } from './answer-recorder.ts';
import type { AskedFor, Speak } from './conversation.ts';
import { FetchFailure } from './fetch-failure.ts';

/** HTTP/1.1 and 1.0, by undici. */
export const http1Conversation: Speak = (asked, socket, recorder) => {
  const statusLineOf = watched(socket, recorder);
  const client = new Client(asked.url.origin, {
    connect: onlyTo(socket),
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    get httpVersion() {
      return /^HTTP\/\d\.\d/.exec(statusLineOf() ?? '')?.[0] ?? 'HTTP/1.1';
    },
    begin: () => {
      client.dispatch(getRequest(asked), recorder);
    },
    hangUp: () => {
      socket.destroy();
      void client.destroy();
    },
  };
};

/** Gives the socket once: after a lost one undici would dial again by itself. */
function onlyTo(socket: Socket): buildConnector.connector {
  let isGiven = false;
  return (_options, callback) => {
    if (isGiven) {
      callback(new FetchFailure('connectionLost', 'the connection was lost'), null);
      return;
    }
    isGiven = true;
    // undici goes on only where the answer doesn't come within its call.
    queueMicrotask(() => {
      callback(null, socket);
    });
  };
}

function getRequest({ url, headers }: AskedFor): Dispatcher.DispatchOptions {
  return {
    method: 'GET',
    path: `${url.pathname}${url.search}`,
    headers: headers.flat(),
  };
}

/** undici tells neither the HTTP version nor how much came, so what it reads is looked at on its way. */
function watched(socket: Socket, recorder: AnswerRecorder): () => string | undefined {
  const read = socket.read.bind(socket);
  let statusLine: string | undefined;
  let wireBytes = 0;
  socket.read = (size?: number) => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk)) return chunk;
    wireBytes += chunk.length;
    recorder.weigh(wireBytes);
    if (socket.destroyed) return null;
    if (statusLine === undefined) {
      statusLine = chunk.toString('latin1', 0, 16);
      if (/^HTTP\/1\.1 100\b/.test(statusLine)) passOverContinue(chunk);
    }
    return chunk;
  };
  return () => statusLine;
}

/** undici breaks off at a 100 that it didn't ask for; any other 1xx it passes over, as it should (RFC 9110 §15.2). */
function passOverContinue(chunk: Buffer): void {
  chunk.write('103', 'HTTP/1.1 '.length, 'latin1');
}
