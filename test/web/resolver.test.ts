import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseHosts } from '../../web/hosts-file.ts';
import { createResolver } from '../../web/resolver.ts';
import { nameServer } from './name-server.ts';
import type { NameAnswer } from './name-server.ts';

const TRIES_MS = [100, 100, 100, 100, 100];

/** A resolver of one name server, and a clock that the test turns. */
function resolverOf(server: { readonly address: string }, capacity = 1_000) {
  let clockMs = 0;
  const resolver = createResolver({
    servers: [server.address],
    tryLengthsMs: TRIES_MS,
    capacity,
    nowMs: () => clockMs,
  });
  return {
    ...resolver,
    pass: (ms: number) => {
      clockMs += ms;
    },
  };
}

const records = (...addresses: readonly string[]): NameAnswer => ({ kind: 'records', addresses });

describe('a name', () => {
  test('has its IPv4 addresses first', async () => {
    const server = await nameServer((question) =>
      question.startsWith('AAAA ') ? records('2001:db8::1') : records('192.0.2.1', '192.0.2.2'),
    );

    expect(await resolverOf(server).resolve('a.example')).toEqual({
      kind: 'resolved',
      addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'],
    });
  });

  test('may have IPv6 addresses only', async () => {
    const server = await nameServer((question) =>
      question.startsWith('AAAA ') ? records('2001:db8::1') : undefined,
    );

    expect(await resolverOf(server).resolve('six.example')).toEqual({
      kind: 'resolved',
      addresses: ['2001:db8::1'],
    });
  });

  test('is resolved though its server fails at AAAA', async () => {
    const server = await nameServer((question) =>
      question.startsWith('AAAA ') ? { kind: 'serverFailure' } : records('192.0.2.1'),
    );

    expect(await resolverOf(server).resolve('four.example')).toMatchObject({ kind: 'resolved' });
    expect(server.questions.filter((question) => question === 'A four.example')).toHaveLength(1);
  });

  test.each([
    { fault: 'that does not exist', said: { kind: 'noSuchName' } as const },
    { fault: 'without any address', said: records() },
  ])('$fault is not found, and asked for once', async ({ said }) => {
    const server = await nameServer(() => said);

    expect(await resolverOf(server).resolve('gone.example')).toMatchObject({
      kind: 'failed',
      reason: 'nameNotFound',
    });
    expect(server.questions.toSorted()).toEqual(['A gone.example', 'AAAA gone.example']);
  });

  test.each(['127.0.0.1', '93.184.216.34'])(
    'that is the address %s needs no look-up',
    async (ip) => {
      const resolver = createResolver({ servers: ['127.0.0.1:9'] });

      expect(await resolver.resolve(ip)).toEqual({ kind: 'resolved', addresses: [ip] });
    },
  );

  test('that is an IPv6 address in brackets needs no look-up', async () => {
    const resolver = createResolver({ servers: ['127.0.0.1:9'] });

    expect(await resolver.resolve('[2001:db8::1]')).toEqual({
      kind: 'resolved',
      addresses: ['2001:db8::1'],
    });
  });

  test.each(['localhost', 'LOCALHOST', 'a.b.localhost', 'localhost.'])(
    '%s is this machine, and no server is asked',
    async (name) => {
      const resolver = createResolver({ servers: ['127.0.0.1:9'] });

      expect(await resolver.resolve(name)).toEqual({
        kind: 'resolved',
        addresses: ['127.0.0.1', '::1'],
      });
      expect(resolver.counts()).toMatchObject({ hits: 0, misses: 0 });
    },
  );
});

describe('an alias', () => {
  test('leads on, over many others too', async () => {
    const aliases = Array.from({ length: 12 }, (_, at) => `c${at}.example`);
    const server = await nameServer((question) =>
      question.startsWith('A ')
        ? { kind: 'records', addresses: ['192.0.2.1'], aliases }
        : records(),
    );

    expect(await resolverOf(server).resolve('www.example')).toEqual({
      kind: 'resolved',
      addresses: ['192.0.2.1'],
    });
  });

  test.each([
    { whither: 'back to itself', aliases: ['b.example', 'www.example'] },
    { whither: 'nowhere', aliases: ['b.example'] },
  ])('that leads $whither has no address, and is asked for once', async ({ aliases }) => {
    const server = await nameServer(() => ({ kind: 'records', addresses: [], aliases }));

    expect(await resolverOf(server).resolve('www.example')).toMatchObject({
      kind: 'failed',
      reason: 'nameNotFound',
    });
    expect(server.questions).toHaveLength(2);
  });
});

describe('the spelling of a name', () => {
  test.each(['a_b.example', '_dmarc.example', '-a.example', 'intranet', 'xn--bcher-kva.example'])(
    '%s is asked for as it stands',
    async (name) => {
      const server = await nameServer(() => records('192.0.2.1'));

      expect(await resolverOf(server).resolve(name)).toMatchObject({ kind: 'resolved' });
      expect(server.questions.toSorted()).toEqual([`A ${name}`, `AAAA ${name}`]);
    },
  );

  test('counts neither its case nor the dot of the root', async () => {
    const server = await nameServer(() => records('192.0.2.1'));
    const resolver = resolverOf(server);

    for (const name of ['a.example', 'A.Example', 'a.example.']) await resolver.resolve(name);

    expect(resolver.counts()).toMatchObject({ hits: 2, misses: 1, names: 1 });
  });

  test.each([
    { what: 'a label too long', name: `${'a'.repeat(64)}.example` },
    { what: 'too long a name', name: `${'a'.repeat(63)}.`.repeat(4) + 'example' },
    { what: 'an empty label', name: 'a..example' },
    { what: 'an onion service', name: 'abc.onion' },
  ])('$what is no name, and no server is asked', async ({ name }) => {
    const server = await nameServer(() => records('192.0.2.1'));

    expect(await resolverOf(server).resolve(name)).toMatchObject({
      kind: 'failed',
      reason: 'nameNotFound',
    });
    expect(server.questions).toEqual([]);
  });
});

describe('the hosts file', () => {
  test('comes before the name servers, and is read again when it changes', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'decorum-hosts-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const hostsPath = join(dir, 'hosts');
    await writeFile(hostsPath, '10.1.2.3 intranet.example\n');
    let clockMs = 0;
    const resolver = createResolver({ servers: [], hostsPath, nowMs: () => clockMs });

    expect(await resolver.resolve('intranet.example')).toEqual({
      kind: 'resolved',
      addresses: ['10.1.2.3'],
    });

    await writeFile(hostsPath, '10.1.2.34 intranet.example\n');
    clockMs = 60_000;
    expect(await resolver.resolve('intranet.example')).toEqual({
      kind: 'resolved',
      addresses: ['10.1.2.34'],
    });
  });

  test('gives each name its addresses, IPv4 first, and passes over what it cannot read', () => {
    const text = [
      '# a remark',
      '::1 localhost ip6-localhost',
      '127.0.0.1\tLocalhost  Box.example. # this one',
      'not-an-address box.example',
      '127.0.0.1 box.example',
      '192.0.2.1',
      '',
    ].join('\r\n');

    expect(Object.fromEntries(parseHosts(text))).toEqual({
      localhost: ['127.0.0.1', '::1'],
      'ip6-localhost': ['::1'],
      'box.example': ['127.0.0.1'],
    });
  });
});

describe('the cache', () => {
  test('asks once for many who ask at the same time, and for those who come later', async () => {
    const server = await nameServer(() => records('192.0.2.1'));
    const resolver = resolverOf(server);

    const together = await Promise.all(
      Array.from({ length: 50 }, () => resolver.resolve('a.example')),
    );
    await resolver.resolve('A.example');

    expect(new Set(together.map((resolution) => resolution.kind))).toEqual(new Set(['resolved']));
    expect(server.questions).toHaveLength(2);
    expect(resolver.counts()).toMatchObject({ hits: 50, misses: 1 });
  });

  test.each([
    { rule: 'a TTL is honoured', ttlSeconds: 600, keptMs: 600_000 },
    { rule: 'a short TTL counts as one minute', ttlSeconds: 0, keptMs: 60_000 },
    { rule: 'a long TTL counts as one hour', ttlSeconds: 604_800, keptMs: 3_600_000 },
  ])('$rule', async ({ ttlSeconds, keptMs }) => {
    const server = await nameServer(() => ({
      kind: 'records',
      addresses: ['192.0.2.1'],
      ttlSeconds,
    }));
    const resolver = resolverOf(server);

    await resolver.resolve('a.example');
    resolver.pass(keptMs - 1);
    await resolver.resolve('a.example');
    expect(resolver.counts()).toMatchObject({ hits: 1, misses: 1 });

    resolver.pass(1);
    await resolver.resolve('a.example');
    expect(resolver.counts()).toMatchObject({ hits: 1, misses: 2 });
  });

  test.each([
    { kind: 'noSuchName', keptMs: 300_000 },
    { kind: 'serverFailure', keptMs: 60_000 },
  ] as const)('remembers a failure ($kind) for $keptMs ms', async ({ kind, keptMs }) => {
    const server = await nameServer(() => ({ kind }));
    const resolver = resolverOf(server);

    await resolver.resolve('gone.example');
    resolver.pass(keptMs - 1);
    await resolver.resolve('gone.example');
    expect(resolver.counts()).toMatchObject({ hits: 1, misses: 1 });

    resolver.pass(1);
    await resolver.resolve('gone.example');
    expect(resolver.counts()).toMatchObject({ hits: 1, misses: 2 });
  });

  test('asks once for a dead name, however many links lead there [DNS08]', async () => {
    const server = await nameServer(() => ({ kind: 'noSuchName' }));
    const resolver = resolverOf(server);

    for (let link = 0; link < 1_000; link += 1) await resolver.resolve('gone.example');

    expect(server.questions).toHaveLength(2);
  });

  test('forgets the name that was asked for longest ago once it is full', async () => {
    const server = await nameServer(() => records('192.0.2.1'));
    const resolver = resolverOf(server, 2);

    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await resolver.resolve(`${name}.example`);

    expect(resolver.counts()).toMatchObject({ hits: 2, misses: 4, names: 2 });
  });
});

describe('a server that does not answer', () => {
  test.each(['silence', 'serverFailure'] as const)('(%s) is asked again', async (kind) => {
    const server = await nameServer((question, askedBefore) => {
      if (question.startsWith('AAAA ')) return undefined;
      return askedBefore < 2 ? { kind } : records('192.0.2.1');
    });

    expect(await resolverOf(server).resolve('slow.example')).toEqual({
      kind: 'resolved',
      addresses: ['192.0.2.1'],
    });
    expect(server.questions.filter((question) => question === 'A slow.example')).toHaveLength(3);
  });

  test('has failed after five tries', async () => {
    const server = await nameServer(() => ({ kind: 'silence' }));

    expect(await resolverOf(server).resolve('silent.example')).toMatchObject({
      kind: 'failed',
      reason: 'nameServerFailed',
    });
    expect(server.questions.filter((question) => question === 'A silent.example')).toHaveLength(5);
  });

  test('leaves the word to the next one', async () => {
    const silent = await nameServer(() => ({ kind: 'silence' }));
    const server = await nameServer(() => records('192.0.2.1'));
    const resolver = createResolver({
      servers: [silent.address, server.address],
      // Half of a try is the silent server's: the other needs its time on a busy machine too.
      tryLengthsMs: [2_000, 6_000, 20_000],
    });

    expect(await resolver.resolve('a.example')).toMatchObject({ kind: 'resolved' });
  });

  test('is waited for no longer once the one who asks has gone', async () => {
    const server = await nameServer(() => ({ kind: 'silence' }));
    const resolver = createResolver({ servers: [server.address] });
    const gone = new AbortController();

    const resolution = resolver.resolve('silent.example', gone.signal);
    gone.abort(new Error('the visit ended'));

    await expect(resolution).rejects.toThrow('the visit ended');
  });

  test('is still waited for by the others', async () => {
    let isAwake = false;
    const server = await nameServer(() => (isAwake ? records('192.0.2.1') : { kind: 'silence' }));
    const resolver = resolverOf(server);
    const gone = new AbortController();

    const leaving = resolver.resolve('slow.example', gone.signal);
    const staying = resolver.resolve('slow.example', new AbortController().signal);
    gone.abort(new Error('the visit ended'));
    await expect(leaving).rejects.toThrow('the visit ended');
    isAwake = true;

    expect(await staying).toMatchObject({ kind: 'resolved' });
    expect(resolver.counts()).toMatchObject({ hits: 1, misses: 1 });
  });
});

describe('servers', () => {
  test('that are no addresses are refused at once', () => {
    expect(() => createResolver({ servers: ['not an address'] })).toThrow();
  });
});
