import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DISALLOWED_PATH, type LoggedRequest } from './manual-site.ts';
import { checkDigests, filesBelow, readResponses, type ReadResponse } from './second-reader.ts';
import { expectNone, type Tally } from './tally.ts';

/** nginx reads its clock to the millisecond, once for a request's start and once for its end. */
const CLOCK_ERROR_MS = 2;

/** Whether the crawler kept its manners, by the server's own log. */
export async function checkManners(
  { check }: Tally,
  requests: readonly LoggedRequest[],
  minGapMs: number,
): Promise<void> {
  await check('the server was asked for robots.txt before anything else', () => {
    const path = new URL(requests[0]?.url ?? 'http://nothing.asked').pathname;
    if (path !== '/robots.txt') throw new Error(`First asked for ${path}`);
  });
  await check(`the server was left alone for ${minGapMs} ms after each answer`, () => {
    const hasty = requests.filter((request, n) => {
      const before = requests[n - 1];
      return before !== undefined && gapMs(before, request) < minGapMs - CLOCK_ERROR_MS;
    });
    expectNone(urlsOf(hasty), 'Asked too soon');
  });
  await check('no page was asked for twice', () => {
    expectNone(repeated(urlsOf(requests)), 'Asked again');
  });
}

/** Whether a reader that isn't ours can read all that was kept; gives what it read. */
export async function checkArchive(
  { check }: Tally,
  dataDir: string,
): Promise<readonly ReadResponse[]> {
  const files = await check('WARC files were left, none of them open', async () => {
    expectNone(await filesBelow(dataDir, '.warc.gz.open'), 'Still marked as open');
    const found = await filesBelow(dataDir, '.warc.gz');
    if (found.length === 0) throw new Error(`No WARC file below ${dataDir}`);
    return found;
  });
  await check('warcio finds each digest true', () => checkDigests(files ?? []));
  const responses = await check('warcio reads each response to its end', async () => {
    const read = await readResponses(files ?? []);
    if (read.length === 0) throw new Error('No response');
    return read;
  });
  return responses ?? [];
}

/** Whether the pages kept are those that wget reached, and each was kept once. */
export async function checkPages(
  { check }: Tally,
  siteUrl: string,
  byWget: readonly LoggedRequest[],
  responses: readonly ReadResponse[],
): Promise<void> {
  const wanted = new Set(urlsOf(byWget.filter(isPage)));
  const kept = urlsOf(responses.filter(isPage));
  const disallowed = new URL(DISALLOWED_PATH, siteUrl).href;

  await check(`every page that wget reaches is kept (${wanted.size})`, () => {
    if (wanted.size < 100) throw new Error('wget reached too few pages for a comparison');
    expectNone(without([...wanted], kept), 'Not kept');
  });
  await check(`every page kept is one that wget reaches (${kept.length})`, () => {
    expectNone(without(kept, wanted), 'Not reached by wget');
  });
  await check('every page is kept once', () => {
    expectNone(repeated(kept), 'Kept again');
  });
  await check('the page that robots.txt disallows was left alone', () => {
    expectNone(
      kept.filter((url) => url === disallowed),
      'Kept against robots.txt',
    );
  });
}

/** Whether the decoded bodies are, byte for byte, the files that nginx serves. */
export async function checkBodies(
  { check }: Tally,
  htmlDir: string,
  responses: readonly ReadResponse[],
): Promise<void> {
  const pages = responses.filter(isPage);
  await check('the pages came compressed and are kept so', () => {
    const plain = pages.filter(({ contentEncoding }) => contentEncoding !== 'gzip');
    expectNone(urlsOf(plain), 'Not compressed');
  });
  await check('each page, decoded, is the file that was served', async () => {
    const isSame = await Promise.all(
      pages.map(async (page) => page.bodySha256 === (await sha256OfFile(htmlDir, page.url))),
    );
    expectNone(urlsOf(pages.filter((_, n) => isSame[n] !== true)), 'Not as served');
  });
}

function isPage({ status, contentType }: LoggedRequest | ReadResponse): boolean {
  return status === 200 && contentType.startsWith('text/html');
}

function gapMs(before: LoggedRequest, request: LoggedRequest): number {
  return request.startedAtMs - before.endedAtMs;
}

function urlsOf(things: readonly { readonly url: string }[]): readonly string[] {
  return things.map(({ url }) => url);
}

function without(urls: readonly string[], others: Iterable<string>): readonly string[] {
  const known = new Set(others);
  return urls.filter((url) => !known.has(url));
}

function repeated(urls: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return urls.filter((url) => seen.has(url) || !seen.add(url));
}

async function sha256OfFile(htmlDir: string, url: string): Promise<string> {
  const path = decodeURIComponent(new URL(url).pathname).replace(/\/$/, '/index.html');
  return createHash('sha256')
    .update(await readFile(join(htmlDir, path)))
    .digest('hex');
}
