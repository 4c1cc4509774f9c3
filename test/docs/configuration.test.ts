import { format } from 'prettier';
import { expect, test } from 'vitest';
import { configurationPage, configurationSchema } from '../../cli/settings/configuration-page.ts';
import { crawlOptions } from '../../cli/settings/options.ts';
import { SETTINGS } from '../../cli/settings/setting-table.ts';
import { textOf } from './pages.ts';

const STYLE = { singleQuote: true, printWidth: 100 };

test.each([
  ['docs/configuration.md', configurationPage],
  ['docs/decorum-config.schema.json', configurationSchema],
])('%s is what the table says: run "npm run docs"', async (path, written) => {
  expect(textOf(path)).toBe(await format(written(), { ...STYLE, filepath: path }));
});

test("a setting's key is commander's name for its flag", () => {
  const names = new Set(crawlOptions().map((option) => option.attributeName()));
  const keys = SETTINGS.filter(({ group }) => group === 'crawl').map(({ key }) => key);
  expect([...names]).toEqual(keys);
});
