import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globOf, isGlobMatch } from '../../domain/glob.ts';
import { parseUrlRule, urlFactsOf } from '../../domain/url-rule.ts';
import { requestUrl } from './request-url-of.ts';

function meets(rule: string, url: string, depth?: number): boolean | undefined {
  return parseUrlRule(rule)?.matches(urlFactsOf(requestUrl(url), depth));
}

describe('a URL rule', () => {
  test.each([
    ['domain:example.org', 'https://example.org/', true],
    ['domain:example.org', 'http://www.EXAMPLE.org:8080/x', true],
    ['domain:example.org', 'https://notexample.org/', false],
    ['domain:a.test,b.test', 'https://x.b.test/', true],
    ['host:www.example.org', 'https://www.example.org/x', true],
    ['host:www.example.org', 'https://example.org/x', false],
    ['host:a.test,b.test', 'https://b.test/', true],
    ['host:MÜLLER.de', 'https://xn--mller-kva.de/', true],
    ['path:/blog/*', 'https://a.test/blog/', true],
    ['path:/blog/*', 'https://a.test/blog/x/y?page=2', true],
    ['path:/blog/*', 'https://a.test/Blog/x', false],
    ['path:/blog/*', 'https://a.test/x/blog/', false],
    ['path:*/blog/*', 'https://a.test/x/blog/y', true],
    ['path:/blog', 'https://a.test/blog/x', false],
    ['path:/*?page=*', 'https://a.test/list?page=2', true],
    ['path:/*?page=*', 'https://a.test/list', false],
    ['path:/über/*', 'https://a.test/über/uns', true],
    ['scheme:https', 'https://a.test/', true],
    ['scheme:HTTPS', 'http://a.test/', false],
    ['ext:pdf', 'https://a.test/x/report.PDF?v=1', true],
    ['ext:.pdf,doc', 'https://a.test/a.doc', true],
    ['ext:pdf', 'https://a.test/x.pdf/', false],
    ['ext:pdf', 'https://a.test/pdf', false],
    ['HTTPS://Example.org/docs/*', 'https://example.org/docs/a', true],
    ['https://example.org/docs/*', 'http://example.org/docs/a', false],
    ['https://example.org', 'https://example.org/', true],
    ['*://example.org/*', 'http://example.org/x', true],
    ['*print*', 'http://example.org/x?print=1', true],
    ['https://a.test/(a+)+$', 'https://a.test/aaaa', false],
  ])('%s of %s: %s', (rule, url, met) => {
    expect(meets(rule, url)).toBe(met);
  });

  test.each([
    ['depth:3', 3, true],
    ['depth:3', 4, false],
    ['depth:>3', 4, true],
    ['depth:>3', 3, false],
    ['depth:>=3', 3, true],
    ['depth:<1', 0, true],
    ['depth:<=1', 2, false],
    ['depth:0', undefined, false],
  ])('%s at depth %s: %s', (rule, depth, met) => {
    expect(meets(rule, 'https://a.test/', depth)).toBe(met);
  });

  test.each([
    '',
    'example.org',
    'domain:',
    'domain:a.test,,b.test',
    'host:a.test/path',
    'path:blog/*',
    'scheme:ftp',
    'ext:a.b',
    'depth:deep',
    'depth:!3',
    'colour:red',
    'path:/a b',
  ])('%j is none', (text) => {
    expect(parseUrlRule(text)).toBeUndefined();
  });
});

describe('a glob', () => {
  /** The definition, in the time of a table. */
  function byDefinition(pattern: string, text: string): boolean {
    let reached = new Set([0]);
    for (const char of pattern) {
      const next = new Set<number>();
      for (const at of reached) {
        if (char === '*') for (let to = at; to <= text.length; to += 1) next.add(to);
        else if (text[at] === char) next.add(at + 1);
      }
      reached = next;
    }
    return reached.has(text.length);
  }

  test('matches what its definition says', () => {
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 10 });
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 16 });
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(isGlobMatch(globOf(pattern), text)).toBe(byDefinition(pattern, text));
      }),
      { numRuns: 3_000 },
    );
  });

  // Where the cost were the product of both lengths, none of these would end in this test's time.
  test.each([
    ['one long part', `*${'a'.repeat(200_000)}b*`, 'a'.repeat(1_000_000)],
    ['a part with a late fault', `*b${'a'.repeat(200_000)}*`, 'a'.repeat(1_000_000)],
    ['many parts', `${'*a'.repeat(100_000)}*b`, 'a'.repeat(1_000_000)],
    ['many parts that begin alike', `${'*aab'.repeat(100_000)}*c`, 'aab'.repeat(300_000)],
  ])('is tested in linear time: %s', (_, pattern, text) => {
    expect(isGlobMatch(globOf(pattern), text)).toBe(false);
  });
});
