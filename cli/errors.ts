import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';

/** Something that the person who typed the command can put right; the message quotes the value and names the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Everything that is wrong with a file, one line each. */
export class FaultsInFile extends UsageError {
  readonly faults: readonly string[];

  constructor(message: string, faults: readonly string[]) {
    super(message);
    this.faults = faults;
  }
}

/** What to print on standard error, and what to tell the shell. */
export interface Failure {
  /** One line, and one for each fault of a file; `undefined` where everything was said already. */
  readonly message: string | undefined;
  readonly exitCode: ExitCode;
}

// By name: some of them were thrown in the supervisor's process and came here as their name and message.
const USAGE_ERRORS: ReadonlySet<string> = new Set(['UsageError', 'BadInput', 'NewerSchema']);

const UNREACHABLE_ERRORS: ReadonlySet<string> = new Set(['ServersUnreachable', 'SupervisorLost']);

// Of sockets and of Postgres: refused, not found, starting up, shutting down, connection lost.
const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '08001',
  '08006',
]);

/** Sorts an error by whose it is: the person's, the servers' or our own. Shows no stack trace. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) {
    // Commander has printed its message, or the help that was asked for, already.
    return { message: undefined, exitCode: error.exitCode === 0 ? EXIT.finished : EXIT.usage };
  }
  const faults = error instanceof FaultsInFile ? error.faults : [];
  const message = [`error: ${oneLine(error)}`, ...faults.map(onOneLine)].join('\n  ');
  if (error instanceof Error && USAGE_ERRORS.has(error.name)) {
    return { message, exitCode: EXIT.usage };
  }
  if (isDiskFull(error)) {
    const remedy = 'the disk of Postgres is full: make room there, and type it again';
    return { message: `${message} (${remedy})`, exitCode: EXIT.unreachable };
  }
  return { message, exitCode: isUnreachable(error) ? EXIT.unreachable : EXIT.fault };
}

/** Whether an error says that Temporal or Postgres does not answer. Looks through causes. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (UNREACHABLE_ERRORS.has(error.name)) return true;
  if ('code' in error && typeof error.code === 'string' && UNREACHABLE_CODES.has(error.code)) {
    return true;
  }
  if (/^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)) {
    return true;
  }
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return isUnreachable(error.cause);
}

/** Whether an error says that Postgres has no room on its disk (SQLSTATE 53100). Looks through causes. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === '53100') || isDiskFull(error.cause);
}

function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's AggregateError of a refused connection has an empty message; the first of its errors says it.
  const inner: unknown = error instanceof AggregateError ? error.errors.at(0) : undefined;
  const said = error.message === '' && inner !== undefined ? oneLine(inner) : error.message;
  return said === '' ? error.name : onOneLine(said);
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
