import { describe, expect, onTestFinished, test } from 'vitest';
import { createParsePool } from '../../web/parse-pool.ts';
import type { ParsePool, ParsePoolOptions } from '../../web/parse-pool.ts';

const GENEROUS: ParsePoolOptions = { threads: 1, timeLimitMs: 60_000, memoryMb: 256 };

function poolOf(changes: Partial<ParsePoolOptions> = {}): ParsePool {
  const pool = createParsePool({ ...GENEROUS, ...changes });
  onTestFinished(() => pool.close());
  return pool;
}

const pageOf = (html: string | Buffer) => ({
  url: 'http://a.example/',
  contentType: 'text/html; charset=utf-8',
  body: Buffer.from(html),
});

/** Enough of what is slowest to read to take any machine a while. */
const longPage = () => pageOf(Buffer.alloc(16_000_000, '<b>'));

const linkTo = (path: string) => ({
  kind: 'parsed',
  page: { links: [`http://a.example${path}`] },
});

describe('the pool', () => {
  test('parses pages beside the caller', async () => {
    const pool = poolOf();
    const html = '<title>T</title><meta name=robots content=nofollow><a href="/x">';

    expect(await pool.parse(pageOf(html))).toEqual({
      kind: 'parsed',
      page: {
        title: 'T',
        links: ['http://a.example/x'],
        nofollowLinks: [],
        cut: false,
        robots: [{ name: 'robots', content: 'nofollow' }],
        canonical: undefined,
        dropped: { scheme: 0, malformed: 0, userinfo: 0 },
      },
    });
  });

  test('serves more pages at once than it has threads, each with its own answer', async () => {
    const pool = poolOf({ threads: 2 });
    const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);

    const outcomes = await Promise.all(
      paths.map((path) => pool.parse(pageOf(`<a href="${path}">`))),
    );

    expect(outcomes).toMatchObject(paths.map(linkTo));
  });

  test('stops a page at the time limit, and goes on', async () => {
    const pool = poolOf({ timeLimitMs: 50 });

    expect(await pool.parse(longPage())).toMatchObject({ kind: 'stopped', reason: 'time' });
    expect(await pool.parse(longPage())).toMatchObject({ kind: 'stopped', reason: 'time' });
  });

  test('lets pages behind a hostile one wait as long as they must', async () => {
    // Shorter than a thread takes to start.
    const pool = poolOf({ timeLimitMs: 150 });

    const outcomes = await Promise.all([
      pool.parse(longPage()),
      pool.parse(pageOf('<a href="/behind">')),
    ]);

    expect(outcomes).toMatchObject([{ kind: 'stopped' }, linkTo('/behind')]);
  });

  test.each([
    {
      kind: 'very many links',
      html: () => Array.from({ length: 800_000 }, (_, index) => `<a href=/${index}>`).join(''),
    },
    {
      kind: 'very many links on a long base',
      html: () =>
        `<base href="http://a.example/${'d/'.repeat(4_000)}">` +
        Array.from({ length: 400_000 }, (_, index) => `<a href=${index}>`).join(''),
    },
    {
      kind: 'very many attributes',
      html: () => `<a ${Array.from({ length: 1_500_000 }, (_, index) => `a${index}`).join(' ')}>`,
    },
    { kind: 'an endless attribute', html: () => `<a href="${'é&amp;'.repeat(2_000_000)}">` },
    { kind: 'an endless title', html: () => `<title>${'é&amp;'.repeat(2_000_000)}` },
    {
      kind: 'endless robots words',
      html: () =>
        `<meta name=robots content="${Array.from({ length: 1_500_000 }, (_, index) => `${index}`).join(' ')}">`,
    },
    { kind: 'more than anybody reads', html: () => Buffer.alloc(100_000_000, 'é<p>') },
  ])('needs little memory for $kind', async ({ html }) => {
    const pool = poolOf({ memoryMb: 64 });

    expect(await pool.parse(pageOf(html()))).toMatchObject({ kind: 'parsed' });
    expect(await pool.parse(pageOf('<a href="/x">'))).toMatchObject(linkTo('/x'));
  });

  test('ends with its pages', async () => {
    const pool = createParsePool(GENEROUS);
    const parsing = pool.parse(longPage());

    await pool.close();

    expect(await parsing).toMatchObject({ kind: 'stopped', reason: 'crash' });
  });
});
