import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLocalName, lookUpNameOf, nameRefusal, rememberedMs } from '../../domain/dns-rules.ts';

test.each([
  { end: 'resolved', ttlMs: 0, keptMs: 60_000 },
  { end: 'resolved', ttlMs: 59_999, keptMs: 60_000 },
  { end: 'resolved', ttlMs: 600_000, keptMs: 600_000 },
  { end: 'resolved', ttlMs: 2 ** 31 * 1_000, keptMs: 3_600_000 },
  { end: 'nameNotFound', ttlMs: 0, keptMs: 300_000 },
  { end: 'nameServerFailed', ttlMs: 0, keptMs: 60_000 },
] as const)('$end with a TTL of $ttlMs ms is kept for $keptMs ms', ({ end, ttlMs, keptMs }) => {
  expect(rememberedMs(end, ttlMs)).toBe(keptMs);
});

test.each([
  { hostname: 'A.Example', name: 'a.example' },
  { hostname: 'a.example.', name: 'a.example' },
  { hostname: 'a.example..', name: 'a.example.' },
])('$hostname is asked for as $name', ({ hostname, name }) => {
  expect(lookUpNameOf(hostname)).toBe(name);
});

test.each([
  { name: 'a.example', asked: true },
  { name: 'a', asked: true },
  { name: 'a_b.example', asked: true },
  { name: 'a.test', asked: true },
  { name: 'printer.local', asked: true },
  { name: 'onion.example', asked: true },
  { name: `${'a'.repeat(63)}.example`, asked: true },
  { name: `${'a'.repeat(64)}.example`, asked: false },
  { name: `${'a.'.repeat(126)}b`, asked: true },
  { name: `${'a.'.repeat(126)}bc`, asked: false },
  { name: 'a..example', asked: false },
  { name: '.example', asked: false },
  { name: '', asked: false },
  { name: 'x.onion', asked: false },
  { name: 'x.invalid', asked: false },
])('a server is asked for "$name": $asked', ({ name, asked }) => {
  expect(nameRefusal(name) === undefined).toBe(asked);
});

test.each([
  { name: 'localhost', here: true },
  { name: 'a.localhost', here: true },
  { name: 'localhost.example', here: false },
  { name: 'notlocalhost', here: false },
])('$name is this machine: $here', ({ name, here }) => {
  expect(isLocalName(name)).toBe(here);
});

test('no text throws, and none is remembered for ever', () => {
  fc.assert(
    fc.property(fc.string(), fc.double(), (text, ttlMs) => {
      nameRefusal(lookUpNameOf(text));
      const keptMs = rememberedMs('resolved', ttlMs);
      expect(Number.isNaN(ttlMs) || keptMs <= 3_600_000).toBe(true);
    }),
  );
});
