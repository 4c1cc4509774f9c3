/** Whether something is well: a warning asks for attention, a fault keeps Decorum from working right. */
export type Verdict = 'ok' | 'warning' | 'fault';

/** What one check of `decorum doctor` has found. */
export interface Finding {
  readonly check: string;
  readonly state: Verdict;
  /** What is there, with its values. */
  readonly found: string;
  /** What to do about it; `null` where nothing has to be done. */
  readonly remedy: string | null;
}

/** All is well. */
export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, remedy: null };
}

/** It works, and may stop to. */
export function warning(check: string, found: string, remedy: string): Finding {
  return { check, state: 'warning', found, remedy };
}

/** Something is wrong that a person can put right. */
export function fault(check: string, found: string, remedy: string): Finding {
  return { check, state: 'fault', found, remedy };
}

/** What an error says, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const said = error.message === '' && typeof code === 'string' ? code : error.message;
  return said.trim().replace(/\s*\n\s*/g, ' ');
}
