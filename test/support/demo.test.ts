import { expect, test } from 'vitest';
import { nextCrawlName } from './demo-record.ts';
import { openDemoWeb } from './demo-web.ts';
import { demoFindings } from './demo-words.ts';
import { ask } from './web-ask.ts';

test('a demo that asks too soon, twice for one page and not for the rest is not clean', async () => {
  const web = await openDemoWeb(undefined);
  try {
    await ask(web.seed);
    await ask(web.seed);

    const { isClean, offences } = demoFindings(web, { ended: true });

    expect(isClean).toBe(false);
    expect(offences.join('\n')).toMatch(/gap/i);
    expect(demoFindings(web, { ended: false }).offences.join('\n')).toMatch(/repeat: /);
  } finally {
    await web.close();
  }
});

test('a crawl under way goes on at the addresses that its URLs name; an ended one makes room for a new one', async () => {
  const first = await openDemoWeb(undefined);
  await first.close();

  const again = await openDemoWeb({ crawl: first.crawl, underWay: true, ...first.ports });
  const { crawl, seed, goesOn } = again;
  await again.close();
  const next = await openDemoWeb({ crawl, underWay: false, ...first.ports });
  await next.close();

  expect({ crawl, seed, goesOn }).toEqual({ crawl: first.crawl, seed: first.seed, goesOn: true });
  expect(next.crawl).toBe('demo-2');
  expect(next.goesOn).toBe(false);
  expect(nextCrawlName('demo-9')).toBe('demo-10');
});
