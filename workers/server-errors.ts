/** Postgres or Temporal does not answer, or could not be started; the message says which and what to do. */
export class ServersUnreachable extends Error {
  override readonly name = 'ServersUnreachable';
}

/** A setting or a data folder that the person who gave it can put right; the message quotes it. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}
