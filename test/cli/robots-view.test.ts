import { describe, expect } from 'vitest';
import { robotsLines } from '../../cli/views/robots-view.ts';
import { explainRobots, type RobotsReader } from '../../db/explain-robots.ts';
import { ensureHost } from '../../db/leases.ts';
import type { Db } from '../../db/pool.ts';
import { writeRobots, type RobotsUpdate } from '../../db/robots.ts';
import { requestUrl } from '../domain/request-url-of.ts';
import { test } from '../support/database.ts';

const FILE = [
  '# ours',
  '',
  'User-agent: *',
  'Disallow: /',
  '',
  'User-agent: Decorum',
  'Crawl-delay: 2.5',
  'Allow: /p/open',
  'Disallow: /p # \u001b[31mprivate',
  'Sitemap: https://a.test/s.xml',
].join('\n');

const READER = { userAgent: 'Decorum/1.0 (+https://you.example)', openAfterMs: null };

async function given(db: Db, read: RobotsUpdate['read']): Promise<void> {
  await writeRobots(db, { hostId: await ensureHost(db, 'a.test'), origin: 'https://a.test', read });
}

function readFile(body: string): RobotsUpdate['read'] {
  const bytes = Buffer.from(body);
  return {
    kind: 'answered',
    access: 'rules',
    status: 200,
    body: bytes,
    ttlMs: 86_400_000,
    validators: null,
    crawlDelayMs: 0,
  };
}

async function shown(db: Db, url: string, reader: RobotsReader = READER): Promise<string> {
  return robotsLines(await explainRobots(db, requestUrl(url), reader), Date.now()).join('\n');
}

describe('decorum robots', () => {
  test('shows the line that decides, those round it, the group and the age of the file', async ({
    db,
  }) => {
    await given(db, readFile(FILE));
    const text = await shown(db, 'https://a.test/p/1');

    expect(text).toContain('decision  forbidden by line 9: Disallow: /p\n');
    expect(text).toMatch(
      /https:\/\/a\.test\/robots\.txt, status 200, read .* \(.*\), again .* \(in /u,
    );
    expect(text).toContain('agent     Decorum, by the groups that name it\n');
    expect(text).toContain('delay     Crawl-delay 2.5 s\n');
    expect(text).toContain('sitemap   https://a.test/s.xml\n');
    expect(text).toMatch(/^ {2}> {5}9 {2}Disallow: \/p/mu);
    expect(text).toMatch(/^ {8}8 {2}Allow: \/p\/open$/mu);
    // Nothing that a terminal would obey.
    expect(text).not.toContain('\u001b');
  });

  test('judges for another crawler', async ({ db }) => {
    await given(db, readFile(FILE));
    const text = await shown(db, 'https://a.test/p/open', {
      userAgent: 'Rival',
      openAfterMs: null,
    });

    expect(text).toContain('forbidden by line 4: Disallow: /');
    expect(text).toContain('Rival, by the groups for everyone');
  });

  test('says where no rule matches, and where there is no group', async ({ db }) => {
    await given(db, readFile('User-agent: Rival\nDisallow: /'));
    const text = await shown(db, 'https://a.test/');

    expect(text).toContain('allowed: no rule matches');
    expect(text).toContain('Decorum, whom no group is for');
  });

  test('says what an unreachable file means, and since when', async ({ db }) => {
    await given(db, { kind: 'unreachable', status: 503, pauseMs: 90_000 });
    const text = await shown(db, 'https://a.test/');
    expect(text).toContain('forbidden: the file is unreachable\n');
    expect(text).toMatch(/status 503, unreachable since .*, again .* \(in 1 min/u);

    await db.query(`update robots set unreachable_since = now() - interval '31 days'`);
    const reader = { ...READER, openAfterMs: 30 * 86_400_000 };
    expect(await shown(db, 'https://a.test/', reader)).toContain(
      'allowed: the file is unreachable',
    );
  });

  test('says where a file is used that could not be read again', async ({ db }) => {
    await given(db, readFile(FILE));
    await given(db, { kind: 'unreachable', status: 500, pauseMs: 90_000 });

    const text = await shown(db, 'https://a.test/p/open');
    expect(text).toContain('allowed by line 8');
    expect(text).toMatch(/status 200, read .*, unreachable since .*, again/u);
  });

  test('says where a file is not there, or was never read', async ({ db }) => {
    await given(db, { ...readFile(''), access: 'allowAll', status: 404 } as RobotsUpdate['read']);
    expect(await shown(db, 'https://a.test/')).toContain('allowed: there is no such file');
    expect(await shown(db, 'http://a.test/')).toContain(
      'not known: the file has not been read yet',
    );
    expect(await shown(db, 'https://b.test/')).toContain(
      'not known: the file has not been read yet',
    );
  });
});
