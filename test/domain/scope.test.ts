import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkExclusion } from '../../domain/admission.ts';
import { urlSelectionOf } from '../../domain/url-selection.ts';
import type { ScopeKind } from '../../domain/crawl-settings.ts';
import { isInScope, scopeRootsOf } from '../../domain/scope.ts';
import { DEFAULT_TRAP_LIMITS } from '../../domain/traps.ts';
import { requestUrl } from './request-url-of.ts';

const scopeOf = (kind: ScopeKind, ...seeds: string[]) => ({
  kind,
  roots: new Set(scopeRootsOf(kind, seeds.map(requestUrl))),
});

describe('scopeRootsOf', () => {
  const seeds = ['https://www.a.test/x/y?q=/z', 'http://a.test/x/', 'https://b.a.test/'].map(
    requestUrl,
  );

  test.each([
    { kind: 'host' as const, roots: ['a.test', 'b.a.test'] },
    { kind: 'domain' as const, roots: ['a.test'] },
    {
      kind: 'prefix' as const,
      roots: ['https://www.a.test/x/', 'http://a.test/x/', 'https://b.a.test/'],
    },
    { kind: 'any' as const, roots: [] },
  ])('$kind: each root once', ({ kind, roots }) => {
    expect(scopeRootsOf(kind, seeds)).toEqual(roots);
  });
});

describe('isInScope', () => {
  test.each([
    { kind: 'host' as const, seed: 'https://a.test/x', url: 'http://a.test:8080/y', inside: true },
    { kind: 'host' as const, seed: 'https://a.test/x', url: 'https://www.a.test/y', inside: true },
    { kind: 'host' as const, seed: 'https://www.a.test/', url: 'https://a.test/y', inside: true },
    { kind: 'host' as const, seed: 'https://a.test/x', url: 'https://b.a.test/y', inside: false },
    { kind: 'host' as const, seed: 'https://www.com/', url: 'https://com/', inside: false },
    { kind: 'domain' as const, seed: 'https://a.test/x', url: 'https://b.a.test/y', inside: true },
    { kind: 'domain' as const, seed: 'https://a.co.uk/', url: 'https://b.co.uk/', inside: false },
    {
      kind: 'domain' as const,
      seed: 'https://a.github.io/',
      url: 'https://b.github.io/',
      inside: false,
    },
    {
      kind: 'prefix' as const,
      seed: 'https://a.test/docs/start',
      url: 'https://a.test/docs/x/y',
      inside: true,
    },
    {
      kind: 'prefix' as const,
      seed: 'https://a.test/docs/start',
      url: 'http://a.test/docs/',
      inside: true,
    },
    {
      kind: 'prefix' as const,
      seed: 'https://a.test/docs/start',
      url: 'https://a.test/docs',
      inside: false,
    },
    {
      kind: 'prefix' as const,
      seed: 'https://a.test/docs/',
      url: 'https://a.test/docs2/',
      inside: false,
    },
    {
      kind: 'prefix' as const,
      seed: 'https://a.test/docs/',
      url: 'https://a.test/?/docs/',
      inside: false,
    },
    {
      kind: 'prefix' as const,
      seed: 'https://a.test/docs/',
      url: 'https://b.test/docs/',
      inside: false,
    },
    {
      kind: 'prefix' as const,
      seed: 'https://a.test',
      url: 'https://a.test/any/where',
      inside: true,
    },
    { kind: 'any' as const, seed: 'https://a.test/', url: 'https://b.test/', inside: true },
  ])('$kind of $seed: $url is inside: $inside', ({ kind, seed, url, inside }) => {
    expect(isInScope(requestUrl(url), scopeOf(kind, seed))).toBe(inside);
  });

  test('what the operator writes is no pattern: it is compared as it stands [SEC12]', () => {
    const prefix = scopeOf('prefix', 'https://a.test/(a+)+$/', 'https://a.test/.*/');
    const long = `https://a.test/${'a'.repeat(100_000)}!`;

    expect(isInScope(requestUrl('https://a.test/(a+)+$/x'), prefix)).toBe(true);
    expect(isInScope(requestUrl('https://a.test/aaa/x'), prefix)).toBe(false);
    expect(isInScope(requestUrl(long), prefix)).toBe(false);
  });

  test('every seed is in the scope of its crawl', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<ScopeKind>('host', 'domain', 'prefix', 'any'),
        fc.array(fc.webUrl({ withQueryParameters: true }), { minLength: 1 }),
        (kind, seeds) => {
          const scope = scopeOf(kind, ...seeds);
          for (const seed of seeds) expect(isInScope(requestUrl(seed), scope)).toBe(true);
        },
      ),
    );
  });
});

describe('linkExclusion', () => {
  const rules = {
    ...DEFAULT_TRAP_LIMITS,
    maxUrlLength: 30,
    depthLimit: 2,
    scope: scopeOf('host', 'https://a.test/'),
    selection: urlSelectionOf({ excludes: ['path:/print/*'], includes: [] }),
  };
  const nowMs = Date.UTC(2026, 5, 1);

  test.each([
    {
      law: 'a link inside all limits is admitted',
      url: 'https://a.test/x',
      depth: 2,
      excluded: undefined,
    },
    {
      law: 'a long URL is a trap',
      url: `https://a.test/${'x'.repeat(16)}`,
      depth: 0,
      excluded: 'length',
    },
    {
      law: 'a URL of just the limit is none',
      url: `https://a.test/${'x'.repeat(15)}`,
      depth: 0,
      excluded: undefined,
    },
    { law: 'a link too deep is left', url: 'https://a.test/x', depth: 3, excluded: 'depth' },
    {
      law: 'a link of a trap is left',
      url: 'https://a.test/x/x/x',
      depth: 1,
      excluded: 'repeatedSegments',
    },
    {
      law: 'a link that an exclude names is left',
      url: 'https://a.test/print/x',
      depth: 1,
      excluded: 'rule path:/print/*',
    },
    { law: 'a link out of scope is left', url: 'https://b.test/x', depth: 1, excluded: 'scope' },
  ])('$law', ({ url, depth, excluded }) => {
    expect(linkExclusion(requestUrl(url), { depth, nowMs }, rules)).toBe(excluded);
  });

  test('without a depth limit no link is too deep', () => {
    expect(
      linkExclusion(
        requestUrl('https://a.test/x'),
        { depth: 1e6, nowMs },
        { ...rules, depthLimit: null },
      ),
    ).toBeUndefined();
  });
});
