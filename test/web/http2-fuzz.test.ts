import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  continuation,
  data,
  field,
  frame,
  goAway,
  headers,
  lastData,
  lastHeaders,
  OK,
  openHeaders,
  pushPromise,
  reset,
  SETTINGS,
  SETTINGS_TAKEN,
} from './frames.ts';
import { fetchOverHttp2, frameHost } from './http2-hosts.ts';

const LIMIT_BYTES = 2_000;

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const aFrame = fc
  .tuple(fc.nat(12), fc.nat(255), fc.constantFrom(0, 1, 1, 1, 2, 3), bytes)
  .map(([type, flags, stream, payload]) => frame(type, { flags, stream }, payload));
const likelyFrame = fc.oneof(
  fc.constantFrom(
    SETTINGS,
    SETTINGS_TAKEN,
    headers(OK),
    headers(OK, field('content-length', '4')),
    headers(field(':status', '103')),
    lastHeaders(OK),
    lastHeaders(field('x-trailer', 'a')),
    openHeaders(OK),
    continuation(field('a', 'b')),
    data('part'),
    data('x'.repeat(1_500)),
    lastData('part'),
    pushPromise(),
    goAway(1, 0),
    goAway(0, 0),
    frame(6, { stream: 0 }, Buffer.alloc(8)),
    frame(8, { stream: 0 }, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
  ),
  fc.nat(14).map(reset),
  fc.nat(14).map((code) => goAway(0, code)),
  aFrame,
);
const talk = fc.array(likelyFrame, { maxLength: 12 }).map((frames) => Buffer.concat(frames));

test.each([
  { kind: 'random bytes', answer: bytes },
  { kind: 'random frames', answer: fc.array(aFrame).map((frames) => Buffer.concat(frames)) },
  { kind: 'likely frames', answer: talk.map((said) => Buffer.concat([SETTINGS, said])) },
  {
    kind: 'likely frames, then random bytes',
    answer: fc.tuple(talk, bytes).map((said) => Buffer.concat([SETTINGS, ...said])),
  },
])(
  'whatever a host says by HTTP/2, the fetch ends with a value, within its limits: $kind',
  { timeout: 120_000 },
  async ({ answer }) => {
    let sent = Buffer.alloc(0);
    let isRude = false;
    const host = await frameHost((socket) => {
      if (!isRude) socket.end(sent);
      else socket.write(sent, () => socket.destroy());
    });

    await fc.assert(
      fc.asyncProperty(answer, fc.boolean(), fc.boolean(), async (next, isLastTry, rude) => {
        sent = next;
        isRude = rude;
        const { outcome, answer: came } = await fetchOverHttp2(host, {
          maxBodyBytes: LIMIT_BYTES,
          isLastTry,
        });

        expect(['fetched', 'redirected', 'failed', 'putOff']).toContain(outcome.kind);
        expect(outcome).not.toHaveProperty('reason', 'pageTimeout');
        expect(came?.rawBody.length ?? 0).toBeLessThanOrEqual(LIMIT_BYTES);
      }),
      { numRuns: 200 },
    );
  },
);
