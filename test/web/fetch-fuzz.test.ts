import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fetchFrom, rawHost } from './loopback.ts';

const LIMIT_BYTES = 2_000;

/** Pieces of which heads are made, right ones and wrong ones. */
const line = fc.oneof(
  fc.constantFrom(
    'HTTP/1.1 200 OK',
    'HTTP/1.1 302 Found',
    'HTTP/1.1 103 Early',
    'HTTP/1.1 100 Continue',
    'HTTP/1.0 404',
    'HTTP/1.1 999 X',
    'Content-Length: 5',
    'Content-Length: 50',
    'Content-Length: x',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Content-Encoding: gzip',
    'Content-Encoding: br, deflate',
    'Location: //x:y@[',
    'Location: /a',
    'Connection: keep-alive',
    'Upgrade: websocket',
    'Trailer: x',
    'Retry-After: -1',
    '5;x',
    'hello',
    '0',
    '',
    ' folded',
  ),
  fc.string({ maxLength: 30, unit: 'binary' }),
);
const head = fc
  .tuple(
    fc.constantFrom('HTTP/1.1 200 OK\r\n', 'HTTP/1.1 301 X\r\n', ''),
    fc.array(line, { maxLength: 12 }),
    fc.constantFrom('\r\n', '\n', '\r'),
  )
  .map(([start, lines, end]) => Buffer.from(start + lines.join(end), 'latin1'));
const bytes = fc.uint8Array({ maxLength: 3_000 }).map((array) => Buffer.from(array));

describe('whatever a host sends', () => {
  test.each([
    { kind: 'random bytes', answer: bytes },
    { kind: 'heads of random lines', answer: head },
    {
      kind: 'a head, then random bytes',
      answer: fc.tuple(head, bytes).map((parts) => Buffer.concat(parts)),
    },
  ])(
    'the fetch ends with a value, within its limits: $kind',
    { timeout: 120_000 },
    async ({ answer }) => {
      let sent = Buffer.alloc(0);
      const host = await rawHost((socket) => socket.end(sent));

      await fc.assert(
        fc.asyncProperty(answer, fc.boolean(), async (next, isLastTry) => {
          sent = next;
          const { outcome, answer: came } = await fetchFrom(host, {
            maxBodyBytes: LIMIT_BYTES,
            isLastTry,
            skipTypes: ['video/*'],
          });

          expect(['fetched', 'redirected', 'failed', 'putOff']).toContain(outcome.kind);
          expect(outcome).not.toHaveProperty('reason', 'pageTimeout');
          expect(came?.rawBody.length ?? 0).toBeLessThanOrEqual(LIMIT_BYTES);
          expect(came?.body.length ?? 0).toBeLessThanOrEqual(LIMIT_BYTES);
        }),
        { numRuns: 300 },
      );
    },
  );
});
