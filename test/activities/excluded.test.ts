import { expect } from 'vitest';
import { urlLines } from '../db/a-frontier.ts';
import { test } from '../support/database.ts';
import { visitedHost } from './a-visited-host.ts';

test('a URL that a rule names by now is not asked for, nor its robots.txt', async ({ db }) => {
  const { asked } = await visitedHost(db, {}, '/print/1', {
    settings: { excludes: ['path:/print/*'] },
  });

  expect(asked).toEqual([]);
  expect(await urlLines(db)).toMatchObject([
    { state: 'excluded', reason: 'excluded by rule path:/print/*', claims: 0 },
  ]);
});

test('links and redirects that a rule names, or that no include names, are left out', async ({
  db,
}) => {
  const page = '<a href="/blog/1">1</a><a href="/blog/print/1">2</a><a href="/other">3</a>';
  const answers = {
    '/blog/': `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
  };

  const { left } = await visitedHost(db, answers, '/blog/', {
    settings: { excludes: ['path:*/print/*'], includes: ['path:/blog/*'] },
  });

  expect(left.map(({ path }) => path)).toEqual(['/blog/1']);
  const { rows } = await db.query('select left_out from outbox where left_out is not null');
  expect(rows).toEqual([{ left_out: { 'rule path:*/print/*': 1, include: 1 } }]);
});

test('a redirect to what a rule names says so', async ({ db }) => {
  const answers = {
    '/': 'HTTP/1.1 301 Moved\r\nLocation: /print/\r\nContent-Length: 0\r\n\r\n',
  };

  const { asked } = await visitedHost(db, answers, '/', {
    settings: { excludes: ['path:/print/*'] },
  });

  expect(asked).toEqual(['/robots.txt', '/']);
  expect(await urlLines(db)).toMatchObject([
    { state: 'done', reason: 'redirect excluded: rule path:/print/*' },
  ]);
});
