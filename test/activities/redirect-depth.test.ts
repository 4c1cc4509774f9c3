import { expect } from 'vitest';
import { ensureHost } from '../../db/leases.ts';
import { givenUrl, runningCrawl } from '../db/a-frontier.ts';
import { admitAll } from '../db/a-shard.ts';
import { test } from '../support/database.ts';
import { answerOf, rawHost } from '../web/loopback.ts';
import { NOT_FOUND } from './a-visited-host.ts';
import { depsOn, visitHost } from './a-visit.ts';

const HTML = ['Content-Type: text/html'];

test('depth counts links and not redirects, on the way in and against the limit [FRO08]', async ({
  db,
}) => {
  const answers: Readonly<Record<string, string>> = {
    '/': 'HTTP/1.1 301 Moved\r\nLocation: /home\r\nContent-Length: 0\r\n\r\n',
    '/home': answerOf('<a href=/a>a</a>', HTML).toString(),
    '/a': answerOf('<a href=/b>b</a>', HTML).toString(),
    '/b': answerOf('too deep', HTML).toString(),
  };
  const pathOf = (head: string): string => head.split(' ')[1] ?? '';
  const site = await rawHost((socket, head) => {
    socket.end(answers[pathOf(head)] ?? NOT_FOUND);
  });
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0, depthLimit: 1 });
  const hostId = await ensureHost(db, '127.0.0.1');
  await givenUrl(db, { crawlId, hostId }, `http://127.0.0.1:${site.port}/`);
  const deps = await depsOn(db);
  for (let round = 0; round < 5; round += 1) {
    await visitHost(deps, '127.0.0.1', { pages: 5, ms: 60_000 });
    await admitAll(db, crawlId);
    await db.query(`update url set state = 'assigned' where state = 'queued'`);
  }

  expect(site.requests.map(pathOf)).toEqual(['/robots.txt', '/', '/home', '/a']);
  const { rows } = await db.query(
    `select substring(request_url from '[a-z]*$') as path, depth from url order by depth, 1`,
  );
  expect(rows).toEqual([
    { path: '', depth: 0 },
    { path: 'home', depth: 0 },
    { path: 'a', depth: 1 },
  ]);
});
