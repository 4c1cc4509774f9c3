import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { startTestWeb, type HostSpec, type TestWeb } from './test-web.ts';
import { ask } from './web-ask.ts';

// An hour: no machine is so slow that it is polite by accident.
const HOUR_LAW = { minGapMs: 3_600_000, gapFactor: 0 };
const NO_GAP_LAW = { minGapMs: 0, gapFactor: 0 };

test('two requests at once to a host are an overlap', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 2, kind: 'good' }]);
  await ask(web.url('a.test', '/robots.txt'));

  const { asked, release } = web.hold('a.test', '/');
  const first = ask(web.url('a.test', '/'));
  await asked;
  expect(web.judge.inFlight().map(({ path }) => path)).toEqual(['/']);
  await ask(web.url('a.test', '/p/1'));
  release();
  await first;

  const { overlaps, offences } = web.judge.verdict(NO_GAP_LAW);
  expect(overlaps.map(({ earlier, request }) => [earlier?.path, request.path])).toEqual([
    ['/', '/p/1'],
  ]);
  expect(offences).toHaveLength(1);
});

test('requests at once to two hosts are none', async () => {
  await using web = await aWeb([
    { name: 'a.test', pages: 1, kind: 'good' },
    { name: 'b.test', pages: 1, kind: 'good' },
  ]);
  await askEach(web, ['a.test/robots.txt', 'b.test/robots.txt']);

  const { asked, release } = web.hold('a.test');
  const first = ask(web.url('a.test'));
  await asked;
  await ask(web.url('b.test'));
  release();
  await first;

  expect(web.judge.verdict(NO_GAP_LAW).offences).toEqual([]);
});

test('a request inside the minimum gap is a violation, robots.txt counted', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 2, kind: 'good' }]);

  await askEach(web, ['a.test/robots.txt', 'a.test/', 'a.test/p/1']);

  const { gapViolations } = web.judge.verdict(HOUR_LAW);
  expect(gapViolations.map(({ earlier, request }) => [earlier?.path, request.path])).toEqual([
    ['/robots.txt', '/'],
    ['/', '/p/1'],
  ]);
});

test('a slow answer owes a gap in proportion', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 2, kind: 'slow' }]);

  await askEach(web, ['a.test/robots.txt', 'a.test/']);

  // At least 300 ms × 100,000.
  const { gapViolations } = web.judge.verdict({ minGapMs: 0, gapFactor: 100_000 });
  expect(gapViolations).toHaveLength(1);
  expect(gapViolations[0]?.text).toMatch(/owed (2[9]|[3-9]\d|\d{3,})\d{6} ms$/);
});

test('a request that the client cut owes its gap from the instant of the cut', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 2, kind: 'hanging' }]);
  await ask(web.url('a.test', '/robots.txt'));

  await cutWhileHeld(web, 'a.test', '/hang');
  await ask(web.url('a.test', '/'));

  const { gapViolations, overlaps } = web.judge.verdict(HOUR_LAW);
  expect(overlaps).toEqual([]);
  expect(gapViolations.map(({ earlier }) => earlier?.path)).toEqual(['/robots.txt', '/hang']);
  expect(gapViolations[1]?.earlier?.ending?.kind).toBe('cut');
});

test('a request whose client is killed ends with the connection', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 1, kind: 'good' }]);
  const { asked, release } = web.hold('a.test', '/');
  const script = `require('node:http').get({ port: ${web.port}, headers: { host: 'a.test' } })`;
  const client = spawn(process.execPath, ['-e', script]);

  await asked;
  client.kill('SIGKILL');
  await once(client, 'exit');
  await expect.poll(() => web.judge.inFlight()).toEqual([]);
  release();
  await askEach(web, ['a.test/robots.txt', 'a.test/']);

  const { overlaps, gapViolations, repeats, pages } = web.judge.verdict(HOUR_LAW);
  expect(overlaps).toEqual([]);
  expect(gapViolations[0]?.earlier?.ending?.kind).toBe('cut');
  expect(repeats).toEqual([]);
  expect(pages).toEqual(new Set([web.url('a.test')]));
});

test('a Crawl-delay is owed between pages', async () => {
  await using web = await aWeb([
    { name: 'a.test', pages: 2, kind: 'robots', crawlDelaySeconds: 3_600 },
  ]);

  await askEach(web, ['a.test/robots.txt', 'a.test/', 'a.test/p/1']);

  const capped = { ...NO_GAP_LAW, crawlDelayCapMs: 3_600_000 };
  expect(web.judge.verdict(capped).gapViolations.map(({ request }) => request.path)).toEqual([
    '/p/1',
  ]);
  expect(web.judge.verdict({ ...NO_GAP_LAW, crawlDelayCapMs: 0 }).gapViolations).toEqual([]);
});

test.each<[string, HostSpec['kind'], readonly string[], readonly string[]]>([
  ['a page before robots.txt', 'good', ['/', '/robots.txt'], ['/']],
  ['a disallowed page', 'robots', ['/robots.txt', '/private/1', '/private/open'], ['/private/1']],
  ['a page while robots.txt is 503', 'robots503', ['/robots.txt', '/'], ['/']],
  ['none after robots.txt was 404', 'robots404', ['/robots.txt', '/'], []],
  [
    'a page before robots.txt recovers',
    'robotsRecovers',
    ['/robots.txt', '/', '/robots.txt', '/robots.txt', '/'],
    ['/'],
  ],
])('against robots.txt: %s', async (_, kind, paths, offenders) => {
  await using web = await aWeb([{ name: 'a.test', pages: 2, kind }]);

  await askEach(
    web,
    paths.map((path) => `a.test${path}`),
  );

  const { robotsViolations } = web.judge.verdict(NO_GAP_LAW);
  expect(robotsViolations.map(({ request }) => request.path)).toEqual(offenders);
});

test('a redirected robots.txt counts as read once its target was', async () => {
  await using web = await aWeb([
    { name: 'a.test', pages: 2, kind: 'robotsRedirect', robotsFrom: 'b.test' },
    { name: 'b.test', pages: 1, kind: 'good' },
  ]);

  await askEach(web, ['a.test/robots.txt', 'a.test/', 'b.test/shared-robots.txt', 'a.test/p/1']);

  const { robotsViolations } = web.judge.verdict(NO_GAP_LAW);
  expect(robotsViolations.map(({ request }) => request.path)).toEqual(['/']);
});

test.each(['seconds', 'date'] as const)(
  'a request before Retry-After, given in the form %s, is over',
  async (retryAfterForm) => {
    await using web = await aWeb([
      {
        name: 'a.test',
        pages: 2,
        kind: 'busy',
        everyNth: 2,
        retryAfterSeconds: 3_600,
        retryAfterForm,
      },
    ]);

    await askEach(web, ['a.test/robots.txt', 'a.test/', 'a.test/p/1', 'a.test/p/1']);

    const { retryAfterViolations, repeats, finalAnswers } = web.judge.verdict(NO_GAP_LAW);
    expect(retryAfterViolations).toHaveLength(1);
    expect(retryAfterViolations[0]?.text).toMatch(/ 3[56]\d{5} ms before/);
    expect(repeats).toEqual([]);
    expect(finalAnswers).toBe(2);
  },
);

test('a page answered 200 twice is a repeat; robots.txt is none', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 1, kind: 'good' }]);

  await askEach(web, ['a.test/robots.txt', 'a.test/robots.txt', 'a.test/', 'a.test/', 'a.test/']);

  const { repeats, offences } = web.judge.verdict(NO_GAP_LAW);
  expect(repeats).toEqual([{ url: web.url('a.test'), times: 3 }]);
  expect(offences).toEqual([]);
});

test('a verdict on a period judges its own requests by all that came before', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 2, kind: 'good' }]);
  await askEach(web, ['a.test/robots.txt', 'a.test/']);

  web.judge.mark('kill');
  await ask(web.url('a.test', '/p/1'));

  const before = web.judge.verdict({ ...HOUR_LAW, until: 'kill' });
  const after = web.judge.verdict({ ...HOUR_LAW, since: 'kill' });
  expect(before.gapViolations.map(({ request }) => request.path)).toEqual(['/']);
  expect(after.gapViolations.map(({ request }) => request.path)).toEqual(['/p/1']);
  expect([before.requests, after.requests]).toEqual([2, 1]);
  expect(after.robotsViolations).toEqual([]);
  expect(() => web.judge.verdict({ ...HOUR_LAW, since: 'bang' })).toThrow('no mark "bang"');
});

test('a reset judge has seen nothing', async () => {
  await using web = await aWeb([{ name: 'a.test', pages: 1, kind: 'good' }]);
  await ask(web.url('a.test'));

  web.judge.reset();

  expect(web.judge.requests()).toEqual([]);
  expect(web.judge.verdict(HOUR_LAW)).toMatchObject({ requests: 0, offences: [], repeats: [] });
});

async function askEach(web: TestWeb, places: readonly string[]): Promise<void> {
  for (const place of places) {
    const slash = place.indexOf('/');
    await ask(web.url(place.slice(0, slash), place.slice(slash)));
  }
}

/** Asks, goes away while the answer is held back, and waits until the judge has seen that. */
async function cutWhileHeld(web: TestWeb, host: string, path: string): Promise<void> {
  const { asked } = web.hold(host, path);
  const patience = new AbortController();
  const cut = ask(web.url(host, path), { signal: patience.signal }).catch(() => undefined);
  await asked;
  patience.abort();
  await cut;
  await expect.poll(() => web.judge.inFlight()).toEqual([]);
}

async function aWeb(hosts: readonly HostSpec[]) {
  const web = await startTestWeb({ hosts });
  return { ...web, [Symbol.asyncDispose]: web.close };
}
