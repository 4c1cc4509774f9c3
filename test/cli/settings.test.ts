import { describe, expect, test } from 'vitest';
import type { CrawlFlags } from '../../cli/settings/options.ts';
import type { Ownership } from '../../cli/settings/own-hosts.ts';
import { settingsOf } from '../../cli/settings/settings.ts';
import { DEFAULT_SETTINGS, crawlSettingsOf } from '../../domain/crawl-settings.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { asRequestUrl } from '../../domain/request-url.ts';

const CONTACT = 'https://you.example/bot';

const ELSEWHERE = {
  seeds: [asRequestUrl('https://example.com/docs/')],
  ownership: 'public',
  before: undefined,
} as const;

const AT_HOME = {
  ...ELSEWHERE,
  seeds: [asRequestUrl('http://localhost:8080/')],
  ownership: 'loopback',
} as const;

function flags(typed: Partial<CrawlFlags> = {}): CrawlFlags {
  return { name: 'docs', data: '.decorum', workers: 1, ...typed };
}

const EARLIER = settingsOf(flags({ contact: CONTACT, pages: 50, gapFactor: 3 }), ELSEWHERE);

test('a new crawl has our defaults, the scope of its seeds and a User-Agent with its contact', () => {
  const settings = settingsOf(flags({ contact: CONTACT }), ELSEWHERE);

  expect(settings).toEqual({
    ...DEFAULT_SETTINGS,
    scopeRoots: ['example.com'],
    userAgent: expect.stringMatching(
      /^Decorum\/[\d.]+ \(\+https:\/\/you\.example\/bot\)$/,
    ) as string,
  });
});

test('a crawl that goes on keeps every setting that was not typed again', () => {
  const settings = settingsOf(flags({ pages: 100 }), {
    ...ELSEWHERE,
    seeds: [],
    ownership: 'none',
    before: EARLIER,
  });

  expect(settings).toEqual({ ...EARLIER, pageBudget: 100 });
});

test('"none" lifts a budget', () => {
  const source = { ...ELSEWHERE, before: EARLIER };

  expect(settingsOf(flags({ pages: 'none' }), source).pageBudget).toBeNull();
});

test('seeds given later widen the scope', () => {
  const seeds = [asRequestUrl('https://other.example/')];

  expect(settingsOf(flags(), { seeds, ownership: 'public', before: EARLIER }).scopeRoots).toEqual([
    'example.com',
    'other.example',
  ]);
});

describe('what a crawl was made with', () => {
  const source = { ...ELSEWHERE, before: EARLIER };

  test.each<[Partial<CrawlFlags>, RegExp]>([
    [{ bands: 5 }, /the bands "3", which cannot become "5".*"decorum reband" can give it more/],
    [{ scope: 'any' }, /the scope "host", which cannot become "any"/],
    [{ sortQuery: false }, /the sortQuery "true", which cannot become "false"/],
    [{ dropTracking: false }, /the dropTracking "true"/],
    [{ dropSessionIds: false }, /the dropSessionIds "true"/],
    [{ dropParameters: ['ref'] }, /the dropParameters "none", which cannot become "ref"/],
    [
      { keepParameters: ['gclid', 'sid'] },
      /the keepParameters "none".*"gclid,sid".*another --name/,
    ],
  ])('cannot become %o', (typed, message) => {
    expect(() => settingsOf(flags(typed), source)).toThrow(message);
  });

  test('may be said again', () => {
    const same = { scope: 'host', sortQuery: true, dropParameters: [] } as const;

    expect(settingsOf(flags(same), source)).toEqual(EARLIER);
  });

  test('stays where it was no setting yet, and traps stay off', () => {
    const { userAgent, scopeRoots } = EARLIER;
    const before = crawlSettingsOf({ userAgent, scopeRoots });

    expect(settingsOf(flags(), { ...source, before })).toMatchObject({
      sortQuery: true,
      dropTracking: true,
      dropSessionIds: false,
      maxSegments: null,
      calendarYears: null,
      sitemaps: true,
    });
    expect(() => settingsOf(flags({ dropSessionIds: true }), { ...source, before })).toThrow(
      /the dropSessionIds "false", which cannot become "true"/,
    );
  });
});

test('with neither seeds nor a crawl there is nothing to do', () => {
  const source = { seeds: [], ownership: 'none', before: undefined } as const;

  expect(() => settingsOf(flags(), source)).toThrow(/no crawl "docs" to go on with: give a seed/);
});

describe('a contact', () => {
  test("is asked for where a seed is somebody else's", () => {
    expect(() => settingsOf(flags(), ELSEWHERE)).toThrow(/add --contact/);
  });

  test("may stand in a User-Agent of one's own", () => {
    const userAgent = `MyBot/2 (+${CONTACT})`;

    expect(settingsOf(flags({ userAgent }), ELSEWHERE).userAgent).toBe(userAgent);
    expect(() => settingsOf(flags({ userAgent: 'MyBot/2' }), ELSEWHERE)).toThrow(
      /names no contact/,
    );
  });

  test('of the crawl that goes on is enough', () => {
    expect(settingsOf(flags(), { ...ELSEWHERE, before: EARLIER }).userAgent).toBe(
      EARLIER.userAgent,
    );
  });

  test.each<[Ownership, boolean, boolean]>([
    ['loopback', false, false],
    ['private', false, true],
    ['private', true, false],
    ['public', true, true],
  ])(
    'for seeds that are %s, private ones allowed: %s, is needed: %s',
    (ownership, allow, isNeeded) => {
      const settle = (): CrawlSettings =>
        settingsOf(flags(allow ? { allowPrivate: true } : {}), { ...AT_HOME, ownership });

      if (isNeeded) expect(settle).toThrow(/names no contact/);
      else expect(settle).not.toThrow();
    },
  );
});

describe('a gap under a second', () => {
  test.each<[Ownership, boolean, boolean]>([
    ['loopback', false, true],
    ['private', false, false],
    ['private', true, true],
    ['public', true, false],
  ])(
    'for seeds that are %s, private ones allowed: %s, is granted: %s',
    (ownership, allow, isGranted) => {
      const settle = (): CrawlSettings =>
        settingsOf(
          flags({ minGap: 999, contact: CONTACT, ...(allow ? { allowPrivate: true } : {}) }),
          {
            ...AT_HOME,
            ownership,
          },
        );

      if (isGranted) expect(settle().minGapMs).toBe(999);
      else expect(settle).toThrow(/--min-gap of 999 ms is under 1 s/);
    },
  );

  test('of exactly a second is for everybody', () => {
    expect(settingsOf(flags({ minGap: 1_000, contact: CONTACT }), ELSEWHERE).minGapMs).toBe(1_000);
  });

  test("is refused where links may lead to other people's hosts", () => {
    expect(() => settingsOf(flags({ minGap: 10, scope: 'any' }), AT_HOME)).toThrow(
      /--scope any leads/,
    );
  });

  test('cannot come to a crawl that began without', () => {
    const source = { ...AT_HOME, before: EARLIER };

    expect(() => settingsOf(flags({ minGap: 10 }), source)).toThrow(/from its start only/);
  });

  test("bars somebody else's seeds from the crawl that has it", () => {
    const before = settingsOf(flags({ minGap: 10 }), AT_HOME);

    expect(() => settingsOf(flags({ contact: CONTACT }), { ...ELSEWHERE, before })).toThrow(
      /your own hosts/,
    );
  });
});

test('who types a loopback address means it, but for links that may lead anywhere', () => {
  expect(settingsOf(flags(), AT_HOME).allowPrivate).toBe(true);
  expect(settingsOf(flags({ scope: 'any' }), AT_HOME).allowPrivate).toBe(false);
  expect(settingsOf(flags({ contact: CONTACT }), ELSEWHERE).allowPrivate).toBe(false);
});

test('a rule for a band that the crawl has not is refused, with the bands it has', () => {
  expect(() =>
    settingsOf(flags({ contact: CONTACT, bands: 2, priority: ['ext:pdf=3'] }), ELSEWHERE),
  ).toThrow(/"ext:pdf=3" names the band 3, and the crawl has 2: name one from 1 to 2/);
});

test('band rules last until others are given; "none" takes them away', () => {
  const before = settingsOf(flags({ contact: CONTACT, priority: ['ext:pdf=3'] }), ELSEWHERE);
  const later = (typed: Partial<CrawlFlags>) => settingsOf(flags(typed), { ...ELSEWHERE, before });

  expect(later({}).priority).toEqual(['ext:pdf=3']);
  expect(later({ priority: ['ext:zip=3'] }).priority).toEqual(['ext:zip=3']);
  expect(later({ priority: [] }).priority).toEqual([]);
});

test('weights are one a band', () => {
  expect(() => settingsOf(flags({ contact: CONTACT, weights: [4, 2] }), ELSEWHERE)).toThrow(
    /weights "4,2" are 2, and the crawl has 3 bands: give one a band/,
  );
  expect(settingsOf(flags({ contact: CONTACT, weights: [4, 2, 1] }), ELSEWHERE).weights).toEqual([
    4, 2, 1,
  ]);
});
