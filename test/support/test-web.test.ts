import { Resolver } from 'node:dns/promises';

import { describe, expect, test } from 'vitest';

import { goodWeb, mixedWeb, startTestWeb, type HostSpec } from './test-web.ts';
import { ask } from './web-ask.ts';
import { crawlPolitely } from './web-polite-client.ts';

const HASTE = { minGapMs: 20, gapFactor: 1, pageTimeoutMs: 1_000 };

describe('a polite crawl has a clean verdict', () => {
  test('of the good web, and every page once', async () => {
    await using web = await aWeb(goodWeb({ hosts: 20, pages: 15 }));

    await crawlPolitely(web.url('h0.test'), web.dnsServer, HASTE);

    const verdict = web.judge.verdict(HASTE);
    expect(verdict.offences).toEqual([]);
    expect(verdict.repeats).toEqual([]);
    expect(verdict.pages).toEqual(web.reachable());
    expect(verdict.pages.size).toBe(20 * 15);
    expect(verdict.finalAnswers).toBe(20 * 15);
    expect(verdict.requests).toBe(20 * 16);
    expect(verdict.lagMs.count).toBe(20 * 15);
  });

  test('of the mixed web, and every page that can be had', async () => {
    await using web = await aWeb(mixedWeb());

    await crawlPolitely(web.url('good0.test'), web.dnsServer, HASTE);

    const verdict = web.judge.verdict(HASTE);
    expect(verdict.offences).toEqual([]);
    expect(verdict.repeats).toEqual([]);
    expect([...verdict.pages].toSorted()).toEqual([...web.reachable()].toSorted());
  });
});

describe('the good web', () => {
  test('is reached from its first host, with pages deeper than two links', async () => {
    await using web = await aWeb(goodWeb({ hosts: 120, pages: 8 }));

    expect(web.reachable().size).toBe(120 * 8);
    expect(web.reachable({ scope: 'host' }).size).toBe(8);
    expect(web.reachable({ scope: 'host', depth: 2 }).size).toBe(7);
    expect(web.reachable({ seeds: [web.url('h7.test', '/p/7')], scope: 'host' }).size).toBe(8);
  });

  test('is the same for the same seed, and each page differs from the others', async () => {
    const hosts = goodWeb({ hosts: 2, pages: 3 });
    await using web = await aWeb(hosts, 7);
    const bodiesOf = async () => {
      const urls = [...web.reachable()];
      return Promise.all(urls.map(async (url) => (await ask(url)).body));
    };

    const bodies = await bodiesOf();

    expect(await bodiesOf()).toEqual(bodies);
    expect(new Set(bodies).size).toBe(6);
    expect(bodies.map(({ length }) => length)).toEqual(bodies.map(() => 3_000));
  });
});

describe('the mixed web', () => {
  test('leads to what is allowed and answers, and to nothing else', async () => {
    await using web = await aWeb(mixedWeb());
    const reachable = web.reachable();
    const has = (host: string, path: string) => reachable.has(web.url(host, path));

    expect(has('redirects.test', '/five/5')).toBe(true);
    expect(has('redirects.test', '/six/6')).toBe(false);
    expect(has('redirects.test', '/tagged?utm_source=web')).toBe(true);
    expect(has('robots.test', '/private/open')).toBe(true);
    expect(has('robots.test', '/private/1')).toBe(false);
    expect(has('robots-redirect.test', '/private/1')).toBe(false);
    expect(has('robots503.test', '/')).toBe(false);
    expect(has('robots-recovers.test', '/')).toBe(true);
    expect(has('broken.test', '/broken/below')).toBe(true);
    expect(has('refused.test', '/')).toBe(false);
    expect(has('unknown.test', '/')).toBe(false);
    expect(has('server-error.test', '/error/1')).toBe(false);
  });

  test('breaks HTTP where it says so, and counts none of it as a page', async () => {
    await using web = await aWeb(mixedWeb());
    const broken = (form: string) => ask(web.url('broken.test', `/broken/${form}`));

    await expect(broken('long-length')).rejects.toThrow();
    await expect(broken('cut-chunks')).rejects.toThrow();
    await expect(broken('early-close')).rejects.toThrow();
    await expect(broken('not-http')).rejects.toThrow();
    await broken('short-length').catch(() => undefined);

    expect(web.judge.pages().size).toBe(0);
    expect(web.judge.requests().map(({ ending }) => ending?.kind)).toEqual(
      Array.from({ length: 5 }, () => 'malformed'),
    );
  });

  test('refuses connections where it says so', async () => {
    await using web = await aWeb(mixedWeb());

    const asked = ask(web.url('refused.test'), { address: '127.0.0.2' });

    await expect(asked).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a held answer', () => {
  test('of one path comes when it is released, and others meanwhile', async () => {
    await using web = await aWeb(goodWeb({ hosts: 1, pages: 2 }));
    const hold = web.hold('h0.test', '/');

    const held = ask(web.url('h0.test'));
    await hold.asked;
    await ask(web.url('h0.test', '/p/1'));
    expect(web.judge.pagesOf('h0.test')).toEqual(new Set([web.url('h0.test', '/p/1')]));
    expect(hold.heldCount()).toBe(1);
    hold.release();

    expect((await held).status).toBe(200);
    expect((await ask(web.url('h0.test'))).status).toBe(200);
  });

  test('is cut when its client goes, also if it is released then', async () => {
    await using web = await aWeb(goodWeb({ hosts: 1, pages: 1 }));
    const hold = web.hold('h0.test');
    const patience = new AbortController();

    const held = ask(web.url('h0.test'), { signal: patience.signal }).catch(() => 'gone');
    await hold.asked;
    patience.abort();
    await held;
    await expect.poll(() => web.judge.inFlight()).toEqual([]);
    hold.release();

    expect(web.judge.requests().map(({ ending }) => ending?.kind)).toEqual(['cut']);
    expect(web.judge.pages().size).toBe(0);
  });
});

test('a name that DNS fails on is not reachable until the DNS server is told otherwise', async () => {
  await using web = await aWeb([
    { name: 'a.test', pages: 1, kind: 'good', linksTo: ['b.test'] },
    { name: 'b.test', pages: 1, kind: 'good', dnsFault: 'serverFailed' },
  ]);
  const resolver = new Resolver();
  resolver.setServers([web.dnsServer]);

  await expect(resolver.resolve4('b.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  expect(web.reachable()).toEqual(new Set([web.url('a.test')]));
  web.dns.setAnswer('b.test', { kind: 'address', address: '127.0.0.1', ttlSeconds: 1 });
  expect(await resolver.resolve4('b.test')).toEqual(['127.0.0.1']);
});

test('a listener hears of each request until it stops', async () => {
  await using web = await aWeb(goodWeb({ hosts: 1, pages: 2 }));
  const heard: string[] = [];
  const stop = web.onRequest(({ host, path }) => heard.push(host + path));

  await ask(web.url('h0.test', '/p/1'));
  stop();
  await ask(web.url('h0.test'));

  expect(heard).toEqual(['h0.test/p/1']);
});

test('a host that the web does not have is misdirected', async () => {
  await using web = await aWeb(goodWeb({ hosts: 1, pages: 1 }));

  expect((await ask(web.url('elsewhere.test'))).status).toBe(421);
  expect((await ask(web.url('h0.test', '/nowhere'))).status).toBe(404);
});

test('a large page is counted when it has gone out', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 1, kind: 'good', pageBytes: 8_000_000 }]);

  const { body } = await ask(web.url('a.test'));

  expect(body).toHaveLength(8_000_000);
  await expect.poll(() => web.judge.pages().size).toBe(1);
});

async function aWeb(hosts: readonly HostSpec[], seed = 1) {
  const web = await startTestWeb({ hosts, seed });
  return { ...web, [Symbol.asyncDispose]: web.close };
}
