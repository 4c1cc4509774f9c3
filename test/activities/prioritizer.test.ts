import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { urlLines } from '../../cli/views/explanation-view.ts';
import { progressLine } from '../../cli/views/progress-view.ts';
import { listCrawls } from '../../db/crawls.ts';
import { explainUrl } from '../../db/explain.ts';
import { readProgress } from '../../db/progress.ts';
import type { Db } from '../../db/pool.ts';
import { asRequestUrl } from '../../domain/request-url.ts';
import { prioritizerAt } from '../../workers/prioritizers.ts';
import { first } from '../db/a-frontier.ts';
import { admitAll } from '../db/a-shard.ts';
import { test } from '../support/database.ts';
import { answerOf } from '../web/loopback.ts';
import { visitedHost } from './a-visited-host.ts';

const HTML = ['Content-Type: text/html'];

function aModule(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'decorum-prioritizer-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'mine.mjs');
  writeFileSync(file, text);
  return file;
}

/** Every URL that was found, admitted; by its path, with its band. */
async function bands(db: Db): Promise<Readonly<Record<string, number>>> {
  const { crawlId } = first(await listCrawls(db));
  await admitAll(db, crawlId);
  const { rows } = await db.query<{ url: string; band: number }>(
    `select request_url as url, band from url where state = 'queued' order by url`,
  );
  return Object.fromEntries(rows.map(({ url, band }) => [new URL(url).pathname, band]));
}

test("a module of one's own gives links their bands, and why names it", async ({ db }) => {
  const prioritizer = aModule(`export default ({ path, foundOn, depth }) =>
    foundOn.endsWith('/hub') && depth === 1 ? (path === '/a' ? 1 : 4) : undefined;`);
  const answers = { '/hub': answerOf('<a href=/a>a</a> <a href=/b>b</a>', HTML) };
  await visitedHost(db, answers, '/hub', { settings: { bands: 4, prioritizer } });

  expect(await bands(db)).toEqual({ '/a': 1, '/b': 4 });
  const { rows } = await db.query<{ url: string }>(
    `select request_url as url from url where request_url like '%/b'`,
  );
  const known = await explainUrl(db, asRequestUrl(first(rows).url), {
    prioritizerFor: prioritizerAt,
  });
  expect(known && urlLines(known, 0).join('\n')).toContain(
    `band 4 by the rule --prioritizer ${prioritizer},`,
  );
});

test('a module that fails costs the bands of those URLs only; it is counted, and logged once', async ({
  db,
}) => {
  const prioritizer = aModule(
    `export default ({ path }) => { if (path !== '/a') throw new Error('not ' + path); return 3; };`,
  );
  const answers = {
    '/hub': answerOf('<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>', HTML),
  };
  const { logged } = await visitedHost(db, answers, '/hub', { settings: { prioritizer } });

  expect(await bands(db)).toEqual({ '/a': 3, '/b': 2, '/c': 2 });
  const { crawlId } = first(await listCrawls(db));
  const progress = await readProgress(db, crawlId);
  expect(progress.prioritizerFaults).toEqual({
    file: prioritizer,
    fault: 'it threw Error: not /c',
    urls: 2,
  });
  expect(progressLine({ progress, pagesPerSecond: undefined, nowMs: 0 })).toContain(
    `2 URLs went by other rules than ${prioritizer}: it threw Error: not /c`,
  );
  expect(logged.filter((line) => line.includes('the prioritizer is at fault'))).toHaveLength(1);
});

test('a module that is gone costs nothing but its bands', async ({ db }) => {
  const prioritizer = join(tmpdir(), 'decorum-no-such-prioritizer.mjs');
  const answers = { '/hub': answerOf('<a href=/a>a</a>', HTML) };
  await visitedHost(db, answers, '/hub', { settings: { prioritizer } });

  expect(await bands(db)).toEqual({ '/a': 2 });
  const { crawlId } = first(await listCrawls(db));
  expect((await readProgress(db, crawlId)).prioritizerFaults?.fault).toContain('ENOENT');
});

test('what a sitemap says of a page decides its band, and stays known', async ({ db }) => {
  const entry = (path: string, priority: string): string =>
    `<url><loc>${path}</loc>${priority}</url>`;
  const urlset =
    entry('/high', '<priority>0.8</priority>') +
    entry('/low', '<priority>0.7</priority>') +
    entry('/none', '');
  const answers = {
    '/s.xml': answerOf(`<urlset>${urlset}</urlset>`, ['Content-Type: application/xml']),
  };
  await visitedHost(db, answers, '/s.xml', {
    settings: { priority: ['sitemap:0.8=1', 'sitemap:0=3'] },
    given: (origin) => ({ foundOn: `${origin}/robots.txt` }),
  });

  expect(await bands(db)).toEqual({ '/high': 1, '/low': 3, '/none': 2 });
  const { rows } = await db.query<{ url: string }>(
    `select request_url as url from url where request_url like '%/high'`,
  );
  const known = await explainUrl(db, asRequestUrl(first(rows).url));
  const lines = known && urlLines(known, 0).join('\n');
  expect(lines).toContain('band 1 by the rule sitemap:0.8=1,');
  expect(lines).toContain('with priority 0.8');
});
