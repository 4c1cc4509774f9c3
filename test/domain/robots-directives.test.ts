import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { directivesOfHeaders, directivesOfMeta } from '../../domain/robots-directives.ts';

const US = { userAgent: 'ExampleBot/1.0 (+https://bot.test/)', nowMs: Date.UTC(2026, 0, 1) };

function said({ noindex, nofollow }: { noindex: boolean; nofollow: boolean }): string {
  return [noindex ? 'noindex' : [], nofollow ? 'nofollow' : []].flat().join(' ');
}

describe('X-Robots-Tag', () => {
  test.each<[law: string, headers: readonly string[], heard: string]>([
    ['forbids nothing where it is absent', [], ''],
    ['is heard in any case', ['NoIndex, NOFOLLOW'], 'noindex nofollow'],
    ['says both by none', ['none'], 'noindex nofollow'],
    ['forbids nothing by all', ['all'], ''],
    ['may come several times', ['noindex', 'nofollow'], 'noindex nofollow'],
    ['is not undone by a later permission', ['nofollow', 'index, follow'], 'nofollow'],
    ['binds only the robot it names', ['otherbot: noindex, nofollow', 'noarchive'], ''],
    ['binds us by our name', ['examplebot: noindex, nofollow'], 'noindex nofollow'],
    [
      'may name several robots in one line',
      ['otherbot: noindex, ExampleBot: nofollow'],
      'nofollow',
    ],
    ['binds everyone before the first name', ['noindex, otherbot: nofollow'], 'noindex'],
    ['is not for a robot whose name begins like ours', ['ExampleBot-News: noindex'], ''],
    ['has values that are no robots', ['max-snippet: 20, nofollow'], 'nofollow'],
    ['may part directives by semicolons', ['noindex; nofollow'], 'noindex nofollow'],
    ['has words of its own', ['noindexes, donofollow'], ''],
    ['may be empty', ['', ' , '], ''],
    [
      'may end what it allows by a date',
      ['unavailable_after: Sat, 25 Jun 2025 15:00:00 GMT'],
      'noindex',
    ],
    [
      'goes on after a date',
      ['unavailable_after: Sat, 25 Jun 2039 15:00:00 GMT, nofollow'],
      'nofollow',
    ],
    [
      'may leave out the day of the week',
      ['unavailable_after: 25 Jun 2025 15:00:00 GMT'],
      'noindex',
    ],
    ['may write the date as ISO does', ['unavailable_after: 2025-06-25'], 'noindex'],
    ['may write nonsense for a date', ['unavailable_after: soon, nofollow'], 'nofollow'],
    ['may date it for another robot', ['otherbot: unavailable_after: 2025-06-25'], ''],
    ['may date it for us', ['ExampleBot: unavailable_after: 2025-06-25'], 'noindex'],
  ])('%s', (_, headers, heard) => {
    expect(said(directivesOfHeaders(headers, US))).toBe(heard);
  });
});

describe('a robots meta tag', () => {
  test.each([
    ['is for every robot', 'robots', 'noindex,nofollow', 'noindex nofollow'],
    ['may be for us', 'ExampleBot', 'nofollow', 'nofollow'],
    ['may be for another', 'otherbot', 'none', ''],
    ['may have blanks round its name', ' Robots ', 'none', 'noindex nofollow'],
    ['may part its words by blanks', 'robots', 'noindex nofollow', 'noindex nofollow'],
    ['says nothing by an empty content', 'robots', '', ''],
    ['is no robot of an empty name', '', 'none', ''],
  ])('%s', (_, name, content, heard) => {
    expect(said(directivesOfMeta([{ name, content }], US))).toBe(heard);
  });

  test('adds to the others', () => {
    const tags = [
      { name: 'robots', content: 'noindex' },
      { name: 'examplebot', content: 'nofollow' },
    ];
    expect(said(directivesOfMeta(tags, US))).toBe('noindex nofollow');
  });
});

test('no text makes it throw, and one more header never permits', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          'noindex',
          'nofollow',
          'none',
          ':',
          ',',
          'ExampleBot',
          'unavailable_after:',
          ' ',
        ),
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.array(value), value, (headers, more) => {
      const before = directivesOfHeaders(headers, US);
      const after = directivesOfHeaders([...headers, more], US);
      expect(Number(after.noindex)).toBeGreaterThanOrEqual(Number(before.noindex));
      expect(Number(after.nofollow)).toBeGreaterThanOrEqual(Number(before.nofollow));
    }),
  );
});
