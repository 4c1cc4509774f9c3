import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { failureOf, UsageError } from '../../cli/errors.ts';

function withCode(code: string): Error {
  return Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code });
}

function named(name: string): Error {
  return Object.assign(new Error('said elsewhere'), { name });
}

test.each<[what: string, error: unknown, exitCode: number, message: string | undefined]>([
  ['help that was asked for', new CommanderError(0, 'commander.help', ''), 0, undefined],
  [
    'a bad option, which commander has told',
    new CommanderError(1, 'commander.unknownOption', 'x'),
    2,
    undefined,
  ],
  ['a bad value', new UsageError('bad seed: "x"'), 2, 'error: bad seed: "x"'],
  ['a data folder that cannot be used', named('BadInput'), 2, 'error: said elsewhere'],
  ['a database of a newer Decorum', named('NewerSchema'), 2, 'error: said elsewhere'],
  ['servers that cannot be started', named('ServersUnreachable'), 4, 'error: said elsewhere'],
  [
    'a refused connection',
    withCode('ECONNREFUSED'),
    4,
    'error: connect ECONNREFUSED 127.0.0.1:5432',
  ],
  [
    'one of several refused',
    new AggregateError([withCode('ECONNREFUSED')]),
    4,
    'error: connect ECONNREFUSED 127.0.0.1:5432',
  ],
  [
    'a cause that was refused',
    new Error('no answer', { cause: withCode('57P01') }),
    4,
    'error: no answer',
  ],
  ['a bug', new TypeError('x is not a function'), 1, 'error: x is not a function'],
  ['a bug with many lines', new Error('one\n  two\n'), 1, 'error: one two'],
  ['something that is no error', 'oops', 1, 'error: oops'],
])('%s: the exit code and one line', (_, error, exitCode, message) => {
  expect(failureOf(error)).toEqual({ message, exitCode });
});
