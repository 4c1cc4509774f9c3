import { expect, test } from 'vitest';
import { selectionExclusion, selectionText, urlSelectionOf } from '../../domain/url-selection.ts';
import { requestUrl } from './request-url-of.ts';

const PRINT = 'path:/print/*';

test.each([
  { law: 'without rules every URL is taken', excludes: [], includes: [], by: undefined },
  { law: 'an exclude names it', excludes: ['ext:pdf', PRINT], includes: [], by: `rule ${PRINT}` },
  { law: 'the first exclude is told', excludes: [PRINT, 'host:a.test'], by: `rule ${PRINT}` },
  { law: 'another rule names others', excludes: ['host:b.test'], by: undefined },
  { law: 'one of the includes suffices', includes: ['ext:pdf', PRINT], by: undefined },
  { law: 'no include names it', includes: ['path:/blog/*'], by: 'include' },
  {
    law: 'excludes go before includes',
    excludes: [PRINT],
    includes: [PRINT],
    by: `rule ${PRINT}`,
  },
  { law: 'depth counts', excludes: ['depth:>2'], by: 'rule depth:>2' },
])('$law', ({ excludes = [], includes = [], by }) => {
  const selection = urlSelectionOf({ excludes, includes });
  expect(selectionExclusion(requestUrl('https://a.test/print/1'), 3, selection)).toBe(by);
});

test('a rule is told in words', () => {
  expect(selectionText('rule ext:pdf')).toBe('excluded by rule ext:pdf');
  expect(selectionText('include')).toBe('named by no include rule');
});
