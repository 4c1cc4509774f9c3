import type { Socket } from 'node:net';
import type { AnswerRecorder } from './answer-recorder.ts';
import type { HeaderFields } from './header-fields.ts';

/** The one request of a connection. */
export interface AskedFor {
  readonly url: URL;
  readonly headers: HeaderFields;
}

/** One request and its answer in one version of HTTP, over a socket that stands. */
export interface Conversation {
  readonly httpVersion: string;
  /** Sends the request; what comes of it, the recorder is told. Never throws for what the web does. */
  readonly begin: () => void;
  /** Lets go of everything at once, at any time. */
  readonly hangUp: () => void;
}

/** Prepares a conversation, and says nothing yet. */
export type Speak = (asked: AskedFor, socket: Socket, recorder: AnswerRecorder) => Conversation;
