import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bandChooser } from '../../domain/band-rules.ts';
import { loadPrioritizer } from '../../workers/prioritizers.ts';
import { requestUrl } from '../domain/request-url-of.ts';
import { sectionOf, textOf } from './pages.ts';

const SECTION = sectionOf('docs/operations.md', 'Priorities');

test('the module that the page shows does what the page says', async () => {
  const [, text = ''] = /```js\n([\s\S]*?)```/u.exec(SECTION) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'decorum-example-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'my-rule.mjs');
  writeFileSync(file, text);
  const choose = bandChooser({ bands: 3, priority: [] }, await loadPrioritizer(file));
  const bandAt = (url: string, depth: number): number =>
    choose({ url: requestUrl(url), depth }).band;

  expect(bandAt('https://a.test/news/2026/x', 5)).toBe(1);
  expect(bandAt('https://a.test/x.pdf', 1)).toBe(3);
  expect(bandAt('https://a.test/x', 1)).toBe(2);
});

test('every fact that a module is told is in its page', () => {
  const [, body = ''] =
    /interface PrioritizerFacts \{([\s\S]*?)\n\}/u.exec(textOf('domain/prioritizer.ts')) ?? [];
  const facts = [...body.matchAll(/readonly (\w+)/gu)].map(([, name]) => name ?? '');
  expect(facts).toContain('sitemapPriority');
  for (const fact of facts) expect(SECTION).toContain(`\`${fact}\``);
});
