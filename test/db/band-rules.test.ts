import { expect } from 'vitest';
import { saveCrawl } from '../../db/crawls.ts';
import { explainUrl } from '../../db/explain.ts';
import { addSeeds } from '../../db/outbox.ts';
import { urlLines } from '../../cli/views/explanation-view.ts';
import { test } from '../support/database.ts';
import { requestUrl } from '../domain/request-url-of.ts';
import { first, runningCrawl, settingsOf } from './a-frontier.ts';
import { admitAll } from './a-shard.ts';

test('a URL enters in the band of the first rule that fits, and why names the rule', async ({
  db,
}) => {
  const settings = settingsOf({ priority: ['ext:pdf=3', 'host:a.test=1'] });
  const crawlId = await runningCrawl(db, settings);
  const urls = ['http://a.test/x', 'http://a.test/x.pdf', 'http://b.test/x'].map(requestUrl);
  async function* batches() {
    yield await Promise.resolve(urls);
  }
  await addSeeds(db, { crawlId, settings, roots: [] }, batches());
  await admitAll(db, crawlId);

  const known = await Promise.all(urls.map((url) => explainUrl(db, url)));
  expect(known.map((url) => [url?.band, url?.bandByRules])).toEqual([
    [1, { band: 1, rule: 'host:a.test=1' }],
    [3, { band: 3, rule: 'ext:pdf=3' }],
    [2, { band: 2 }],
  ]);
  expect(urlLines(first(known.flatMap((url) => url ?? [])), 0).join('\n')).toContain(
    'band 1 by the rule host:a.test=1,',
  );
});

test('why tells a band by earlier rules from one by the rules of now', async ({ db }) => {
  const crawlId = await runningCrawl(db);
  const url = requestUrl('http://a.test/x');
  async function* batches() {
    yield await Promise.resolve([url]);
  }
  await addSeeds(db, { crawlId, settings: settingsOf(), roots: [] }, batches());
  await admitAll(db, crawlId);
  await saveCrawl(db, 'test', settingsOf({ priority: ['path:/x=3'] }));

  const known = await explainUrl(db, url);
  expect(known && urlLines(known, 0).join('\n')).toContain(
    'band 2 by the rules of its time (3 by the rule path:/x=3 as now set)',
  );
});
