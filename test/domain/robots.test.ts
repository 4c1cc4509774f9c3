import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  crawlDelayMs,
  decodeRobots,
  MAX_ROBOTS_BYTES,
  parseRobots,
  productTokenOf,
  robotsVerdict,
} from '../../domain/robots.ts';
import {
  ENCODINGS,
  GROUPS,
  LINES,
  PATHS,
  PRECEDENCE,
  TOKENS,
  TYPOS,
} from '../fixtures/robots-cases.ts';
import { requestUrl } from './request-url-of.ts';

describe.each([
  { section: 'lines', cases: LINES },
  { section: 'groups', cases: GROUPS },
  { section: 'product tokens', cases: TOKENS },
  { section: 'precedence', cases: PRECEDENCE },
  { section: 'paths', cases: PATHS },
  { section: 'encodings', cases: ENCODINGS },
  { section: 'typing errors', cases: TYPOS },
])('robots.txt, $section', ({ cases }) => {
  test.each(cases)('$law', ({ file, path, allowed, agent = 'Decorum' }) => {
    const rules = parseRobots(file, agent);

    expect(robotsVerdict(rules, requestUrl(`https://a.test${path}`)).allowed).toBe(allowed);
  });
});

describe('robotsVerdict', () => {
  test('names the line and the rule that decides', () => {
    const rules = parseRobots(
      '# ours\n\nUser-agent: *\nAllow: /a\n Disallow :  /a/b # no\n',
      'Decorum',
    );

    expect(robotsVerdict(rules, requestUrl('https://a.test/a/b/c'))).toEqual({
      allowed: false,
      line: 5,
      rule: 'Disallow: /a/b',
    });
    expect(robotsVerdict(rules, requestUrl('https://a.test/a'))).toEqual({
      allowed: true,
      line: 4,
      rule: 'Allow: /a',
    });
  });

  test('names no line where no rule matches', () => {
    const rules = parseRobots('User-agent: *\nDisallow: /x', 'Decorum');

    expect(robotsVerdict(rules, requestUrl('https://a.test/y'))).toEqual({ allowed: true });
  });

  test('never throws, and forbids nothing in a file of noise', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.webUrl({ withQueryParameters: true }),
        (noise, url) => {
          const rules = parseRobots(noise, 'Decorum');
          expect(robotsVerdict(rules, requestUrl(url)).allowed).toBe(true);
        },
      ),
    );
  });

  test('a rule written as the URL is written forbids it', () => {
    fc.assert(
      fc.property(fc.webPath({ size: 'medium' }), fc.webQueryParameters(), (path, query) => {
        const url = requestUrl(`https://a.test${path === '' ? '/' : path}?${query}`);
        const written = url
          .slice('https://a.test'.length)
          .replaceAll('*', '%2A')
          .replace(/\$$/u, '%24');
        fc.pre(path !== '/robots.txt');

        const rules = parseRobots(`User-agent: *\nDisallow: ${written}`, 'Decorum');
        expect(robotsVerdict(rules, url).allowed).toBe(false);
      }),
    );
  });

  test('the verdict does not depend on the order of the rules', () => {
    const rule = fc.tuple(
      fc.constantFrom('Allow', 'Disallow'),
      fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '$'), maxLength: 5 }),
    );
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(rule), path, (rules, rest) => {
        const lines = rules.map(([key, value]) => `${key}: /${value}`);
        const verdict = (order: readonly string[]): boolean =>
          robotsVerdict(
            parseRobots(['User-agent: *', ...order].join('\n'), 'Decorum'),
            requestUrl(`https://a.test/${rest}`),
          ).allowed;

        expect(verdict(lines.toReversed())).toBe(verdict(lines));
      }),
    );
  });

  test('what other crawlers are told changes nothing', () => {
    const rule = fc.tuple(
      fc.constantFrom('Allow', 'Disallow', 'Disalow', 'Crawl-delay', 'Sitemap'),
      fc.string({ unit: fc.constantFrom('a', '/', '*', '$', '%61'), maxLength: 4 }),
    );
    const group = (agent: fc.Arbitrary<string>): fc.Arbitrary<string> =>
      fc
        .tuple(agent, fc.array(rule, { maxLength: 4 }))
        .map(([name, rules]) =>
          [`User-agent: ${name}`, ...rules.map(([key, value]) => `${key}: /${value}`)].join('\n'),
        )
        // A last rule, without which the next group's agents would join this one.
        .map((lines) => `${lines}\nDisallow: /never\n`);
    const ours = group(fc.constantFrom('Decorum', 'decorum/2', '*'));
    const others = group(fc.constantFrom('Rival', 'Decorum-News', 'Mozilla (Decorum)', ''));
    const path = fc.string({ unit: fc.constantFrom('a', '/'), maxLength: 5 });
    fc.assert(
      fc.property(fc.array(ours), fc.array(others), path, (mine, theirs, rest) => {
        const verdict = (groups: readonly string[]): boolean =>
          robotsVerdict(
            parseRobots(groups.join('\n'), 'Decorum'),
            requestUrl(`https://a.test/${rest}`),
          ).allowed;
        const alone = verdict(mine);

        expect(verdict([...theirs, ...mine])).toBe(alone);
        expect(verdict([...mine, ...theirs.toReversed()])).toBe(alone);
        expect(verdict([...mine, 'User-agent: Rival\nAllow: /'])).toBe(alone);
      }),
    );
  });

  test('never throws on rules of noise, and a Disallow more allows nothing more', () => {
    const noise = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(fc.array(noise), noise, fc.webUrl(), (values, one, text) => {
        const url = requestUrl(text);
        const file = ['User-agent: *', ...values.map((value) => `Allow: /${value}`)].join('\n');
        const before = robotsVerdict(parseRobots(file, 'Decorum'), url).allowed;
        // A group that the noise opens would take the rule for itself.
        fc.pre(!/agent/iu.test(file.slice(13)));
        const after = robotsVerdict(parseRobots(`${file}\nDisallow: /${one}`, 'Decorum'), url);

        expect(before || !after.allowed).toBe(true);
      }),
    );
  });

  test('stars match as they would in a glob', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, fc.boolean(), letters, (glob, toTheEnd, path) => {
        const expression = new RegExp(
          `^/${glob.replaceAll(/\*+/gu, '.*')}${toTheEnd ? '$' : ''}`,
          'u',
        );
        const rules = parseRobots(
          `User-agent: *\nDisallow: /${glob}${toTheEnd ? '$' : ''}`,
          'Decorum',
        );

        expect(robotsVerdict(rules, requestUrl(`https://a.test/${path}`)).allowed).toBe(
          !expression.test(`/${path}`),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('hostile files', () => {
  const numbered = (before: string, after = ''): string =>
    Array.from({ length: 20_000 }, (_, n) => `Disallow: ${before}${n}${after}\n`).join('');
  const longUrl = requestUrl(`https://a.test/${'a'.repeat(2_000)}`);

  // Each would take minutes by a method whose cost multiplies; the test runner's own limit is the law.
  test.each([
    { hostile: 'as many wildcard rules as fit [ROB20]', file: 'Disallow: /*x\n'.repeat(36_000) },
    { hostile: 'one rule of stars', file: `Disallow: /${'*a'.repeat(250_000)}` },
    { hostile: 'rules that begin and end like the path', file: numbered('/a', '$') },
    { hostile: 'rules that differ late', file: numbered('/*aaaaab') },
    { hostile: 'escapes without end', file: `Disallow: /${'%'.repeat(500_000)}` },
    { hostile: 'rules that nearly match', file: `Disallow: /${'a*'.repeat(900)}b\n`.repeat(280) },
    { hostile: 'as many agents as fit', file: 'User-agent: x\n'.repeat(36_000) },
    { hostile: 'blanks without end', file: `Disallow: ${' '.repeat(400_000)}x y z` },
    { hostile: 'tags without end', file: '<br'.repeat(170_000) },
    { hostile: 'a file without lines', file: 'a'.repeat(600_000) },
  ])('$hostile cost little', ({ file }) => {
    const rules = parseRobots(`User-agent: *\n${file}`, 'Decorum');

    expect(robotsVerdict(rules, longUrl).allowed).toBe(true);
  });
});

describe('crawlDelayMs', () => {
  const delayOf = (value: string): number | undefined =>
    crawlDelayMs(parseRobots(`User-agent: *\nCrawl-delay: ${value}`, 'Decorum'));

  test.each([
    { value: '10', delayMs: 10_000, id: '' },
    { value: '0.5', delayMs: 500, id: '' },
    { value: '.25', delayMs: 250, id: '' },
    { value: '2. # seconds', delayMs: 2_000, id: '' },
    { value: '0', delayMs: 0, id: '' },
    { value: '100000000', delayMs: 86_400_000, id: ' [ROB16]' },
    { value: '9'.repeat(400), delayMs: 86_400_000, id: '' },
  ])('$value is read$id', ({ value, delayMs }) => {
    expect(delayOf(value)).toBe(delayMs);
  });

  test.each(['', '-3', 'ten', '1,5', '5s', 'Infinity', 'NaN', '0x10', '1e3'])(
    '"%s" is nonsense [ROB18]',
    (value) => {
      expect(delayOf(value)).toBeUndefined();
    },
  );

  test('is that of the group that applies', () => {
    const file =
      'User-agent: *\nCrawl-delay: 9\nDisallow:\n\nUser-agent: Decorum\nDisallow: /x\nCrawl-delay: 2';

    expect(crawlDelayMs(parseRobots(file, 'Decorum'))).toBe(2_000);
    expect(crawlDelayMs(parseRobots(file, 'Rival'))).toBe(9_000);
  });

  test('is the longest where a group asks twice', () => {
    const file = 'User-agent: *\nCrawl-delay: 9\nCrawl-delay: oops\nCrawl-delay: 4';

    expect(crawlDelayMs(parseRobots(file, 'Decorum'))).toBe(9_000);
  });

  test('does not end the group it stands in', () => {
    const file = 'User-agent: *\nDisallow: /a\nCrawl-delay: 5\nDisallow: /b';

    expect(
      robotsVerdict(parseRobots(file, 'Decorum'), requestUrl('https://a.test/b')).allowed,
    ).toBe(false);
  });
});

describe('sitemaps', () => {
  test('are given once each, whatever group it stands in', () => {
    const file =
      'Sitemap: https://a.test/1\nUser-agent: x\nsitemap:https://a.test/2\nSITEMAP: https://a.test/1 # again\nSitemap:';

    expect(parseRobots(file, 'Decorum').sitemaps).toEqual(['https://a.test/1', 'https://a.test/2']);
  });
});

describe('productTokenOf', () => {
  test.each([
    { userAgent: 'Decorum/0.1 (+https://a.test)', token: 'Decorum' },
    { userAgent: 'My_Own-Bot', token: 'My_Own-Bot' },
    { userAgent: ' Spaced 1.0', token: 'Spaced' },
    { userAgent: '007', token: '' },
  ])('of "$userAgent" is "$token"', ({ userAgent, token }) => {
    expect(productTokenOf(userAgent)).toBe(token);
  });

  test('a crawler without a token is bound by the rules for everyone', () => {
    const rules = parseRobots('User-agent: 007\nAllow: /\n\nUser-agent: *\nDisallow: /', '007');

    expect(robotsVerdict(rules, requestUrl('https://a.test/')).allowed).toBe(false);
  });
});

describe('decodeRobots', () => {
  const text = 'User-agent: *\nDisallow: /größe/\n';
  const forbids = (bytes: Uint8Array, path: string): boolean =>
    !robotsVerdict(parseRobots(decodeRobots(bytes), 'Decorum'), requestUrl(`https://a.test${path}`))
      .allowed;

  test.each([
    { encoding: 'UTF-8', bytes: Buffer.from(text) },
    { encoding: 'UTF-8 with a byte order mark', bytes: Buffer.from(`\uFEFF${text}`) },
    {
      encoding: 'UTF-16, little end first [ROB13]',
      bytes: Buffer.from(`\uFEFF${text}`, 'utf16le'),
    },
    { encoding: 'UTF-16, big end first', bytes: Buffer.from(`\uFEFF${text}`, 'utf16le').swap16() },
  ])('reads $encoding', ({ bytes }) => {
    expect(forbids(bytes, '/gr%C3%B6%C3%9Fe/')).toBe(true);
  });

  test('a line in another encoding spoils no other [ROB14]', () => {
    const bytes = Buffer.from('User-agent: *\nDisallow: /caf\xe9/\nDisallow: /rest/\n', 'latin1');

    expect(forbids(bytes, '/rest/')).toBe(true);
    expect(forbids(bytes, '/')).toBe(false);
  });

  test('gives no NUL, which Postgres could not keep', () => {
    expect(decodeRobots(Buffer.from('Disallow: /\0'))).not.toContain('\0');
  });

  test('reads 500 KiB and leaves out the line that the limit cuts', () => {
    const padding = `${'#'.repeat(MAX_ROBOTS_BYTES - 40)}\n`;
    const bytes = Buffer.from(
      `User-agent: *\n${padding}Disallow: /a\nDisallow: /${'b'.repeat(50)}\nDisallow: /c\n`,
    );

    expect(bytes.length).toBeGreaterThan(MAX_ROBOTS_BYTES);
    expect(forbids(bytes, '/a')).toBe(true);
    expect(forbids(bytes, '/bb')).toBe(false);
    expect(forbids(bytes, '/c')).toBe(false);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(typeof decodeRobots(bytes)).toBe('string');
      }),
    );
  });
});
