import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';

import { decode, streamEncode, type Packet } from 'dns-packet';
import { expect, test } from 'vitest';

import { startDnsServer, type NameAnswer } from './dns-server.ts';

const HERE: NameAnswer = { kind: 'address', address: '127.0.0.1', ttlSeconds: 7 };

test('a known name has its address and time to live, whatever its case', async () => {
  await using dns = await aDnsServer([['a.test', HERE]]);

  expect(await dns.resolver.resolve4('A.test', { ttl: true })).toEqual([
    { address: '127.0.0.1', ttl: 7 },
  ]);
  expect(dns.queriesOf('a.test')).toBe(1);
});

test('a known name has no IPv6 address, an unknown one does not exist', async () => {
  await using dns = await aDnsServer([['a.test', HERE]]);

  await expect(dns.resolver.resolve6('a.test')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(dns.resolver.resolve4('b.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a name can fail, and recover', async () => {
  await using dns = await aDnsServer([['a.test', { kind: 'serverFailed' }]]);

  await expect(dns.resolver.resolve4('a.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  dns.setAnswer('a.test', HERE);
  expect(await dns.resolver.resolve4('a.test')).toEqual(['127.0.0.1']);
});

test('a silent name never answers', async () => {
  await using dns = await aDnsServer([['a.test', { kind: 'silent' }]]);

  await expect(dns.resolver.resolve4('a.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(dns.queriesOf('a.test')).toBeGreaterThan(0);
});

test('the same is said over TCP, to several questions in one stream', async () => {
  await using dns = await aDnsServer([['a.test', HERE]]);
  const socket = connect(Number(dns.address.split(':')[1]), '127.0.0.1');
  const ask = (id: number): Packet => ({
    type: 'query',
    id,
    questions: [{ type: 'A', name: 'a.test' }],
  });

  socket.write(Buffer.concat([streamEncode(ask(1)), streamEncode(ask(2))]));
  let received = Buffer.alloc(0);
  while (received.length < 2 || received.length < 2 * (2 + received.readUInt16BE(0))) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    received = Buffer.concat([received, chunk]);
  }
  socket.destroy();

  const length = received.readUInt16BE(0);
  const replies = [received.subarray(2, 2 + length), received.subarray(4 + length)].map((reply) =>
    decode(reply),
  );
  expect(replies.map(({ id }) => id)).toEqual([1, 2]);
  expect(replies[0]?.answers).toMatchObject([{ type: 'A', data: '127.0.0.1', ttl: 7 }]);
});

test('a message that is no DNS is passed over', async () => {
  await using dns = await aDnsServer([['a.test', HERE]]);
  const socket = connect(Number(dns.address.split(':')[1]), '127.0.0.1');
  socket.end(Buffer.from([0, 3, 1, 2, 3]));
  await once(socket, 'close');

  expect(await dns.resolver.resolve4('a.test')).toEqual(['127.0.0.1']);
});

async function aDnsServer(names: readonly (readonly [string, NameAnswer])[]) {
  const dns = await startDnsServer(names);
  const resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([dns.address]);
  return { ...dns, resolver, [Symbol.asyncDispose]: dns.close };
}
