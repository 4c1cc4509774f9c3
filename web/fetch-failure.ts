import { AssertionError } from 'node:assert';
import { errors } from 'undici';
import type { FailureReason } from '../domain/outcome.ts';
import { tlsFault } from './tls-fault.ts';

/** A fetch that the web broke, on its way from a socket to an outcome; `fetchUrl` never lets it out. */
export class FetchFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'FetchFailure';
    this.reason = reason;
  }

  /** Gives any error a reason; `fallback` where the error itself says none. */
  static from(error: unknown, fallback: FailureReason): FetchFailure {
    if (error instanceof FetchFailure) return error;
    const detail = error instanceof Error ? (detailOf(error) ?? error.message) : String(error);
    return new FetchFailure(reasonOf(error) ?? fallback, detail, { cause: error });
  }
}

/** Says what was wrong with an answer once a connection stood, from what undici and OpenSSL call it. */
function reasonOf(error: unknown): FailureReason | undefined {
  if (error instanceof errors.HTTPParserError) {
    // An answer that ended before its time is the host's or the network's doing, and may be whole next time.
    return error.message.includes('Invalid EOF') ? 'connectionLost' : 'malformedAnswer';
  }
  if (error instanceof errors.HeadersOverflowError) return 'malformedAnswer';
  if (error instanceof errors.SocketError && error.message.startsWith('bad ')) {
    return 'malformedAnswer';
  }
  if (error instanceof AssertionError) return 'malformedAnswer';
  return error instanceof Error && isTlsError(error) ? 'tlsFailed' : undefined;
}

function detailOf(error: Error): string | undefined {
  // undici asserts what it expects of a status: three digits from 100 on.
  if (error instanceof AssertionError) return 'a status that there is not';
  return isTlsError(error) ? tlsFault(error) : undefined;
}

function isTlsError(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return code === 'EPROTO' || code.startsWith('ERR_SSL_');
}
