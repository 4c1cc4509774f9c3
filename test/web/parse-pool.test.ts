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

/** Large enough to take any machine a while. */
const longPage = () => pageOf(Buffer.alloc(60_000_000, '<a href="/x">'));

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
        nofollowPage: true,
        noindex: false,
        canonical: undefined,
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
    const pool = poolOf({ timeLimitMs: 200 });

    const outcomes = await Promise.all([
      pool.parse(longPage()),
      pool.parse(pageOf('<a href="/behind">')),
    ]);

    expect(outcomes).toMatchObject([{ kind: 'stopped' }, linkTo('/behind')]);
  });

  test('stops a page that takes too much memory, and goes on', async () => {
    const pool = poolOf({ memoryMb: 24 });
    const links = Array.from({ length: 400_000 }, (_, index) => `<a href="/${index}">`).join('');

    expect(await pool.parse(pageOf(links))).toMatchObject({ kind: 'stopped', reason: 'memory' });
    expect(await pool.parse(pageOf('<a href="/x">'))).toMatchObject(linkTo('/x'));
  });

  test('ends with its pages', async () => {
    const pool = createParsePool(GENEROUS);
    const parsing = pool.parse(longPage());

    await pool.close();

    expect(await parsing).toMatchObject({ kind: 'stopped', reason: 'crash' });
  });
});
