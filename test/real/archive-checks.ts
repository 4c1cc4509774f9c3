import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANUAL_HOSTS } from './manual-hosts.ts';
import { requestsTo, type LoggedRequest, type ManualSites } from './manual-sites.ts';
import type { HtmlDirs } from './required-tools.ts';
import { checkDigests, filesBelow, readResponses, type ReadResponse } from './second-reader.ts';
import { expectNone, repeated, urlsOf, without, type Tally } from './tally.ts';

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

/** Whether the archive holds what nginx answered, all of it and nothing else. */
export async function checkKept(
  { check }: Tally,
  requests: readonly LoggedRequest[],
  responses: readonly ReadResponse[],
): Promise<void> {
  // A robots.txt is kept in Postgres, with what was read from it.
  const answered = requests.filter(({ url }) => !isRobotsTxt(url)).map(statusAndUrl);
  const kept = responses.map(statusAndUrl);
  await check(`every answer is kept, whatever its status (${new Set(answered).size})`, () => {
    if (answered.length === 0) throw new Error('Nothing was answered');
    expectNone(without(answered, kept), 'Not kept');
  });
  await check(`everything kept is an answer (${new Set(kept).size})`, () => {
    expectNone(without(kept, answered), 'Never answered');
  });
  await check('every answer is kept once, or as often as it was given', () => {
    expectNone(without(repeated(kept), repeated(answered)), 'Kept again');
  });
}

function isRobotsTxt(url: string): boolean {
  return new URL(url).pathname === '/robots.txt';
}

/** Whether the decoded bodies are, byte for byte, the files that nginx serves. */
export async function checkBodies(
  { check }: Tally,
  sites: ManualSites,
  htmlDirs: HtmlDirs,
  responses: readonly ReadResponse[],
): Promise<void> {
  const pages = responses.filter(isPage);
  await check('the pages came compressed and are kept so', () => {
    if (pages.length === 0) throw new Error('No page');
    const plain = pages.filter(({ contentEncoding }) => contentEncoding !== 'gzip');
    expectNone(urlsOf(plain), 'Not compressed');
  });
  const files = MANUAL_HOSTS.flatMap((host) =>
    requestsTo(host, sites, responses.filter(isFile)).map((response) => ({
      response,
      served: servedFile(htmlDirs[host.manual], response.url),
    })),
  );
  await check(`each file, decoded, is the one that was served (${files.length})`, async () => {
    if (files.length === 0) throw new Error('No file');
    const differing: string[] = [];
    for (const { response, served } of files) {
      if (response.bodySha256 !== (await sha256OfFile(served))) differing.push(response.url);
    }
    expectNone(differing, 'Not as served');
  });
}

function statusAndUrl({ status, url }: LoggedRequest | ReadResponse): string {
  return `${status} ${url}`;
}

function isPage({ status, contentType }: ReadResponse): boolean {
  return status === 200 && contentType.startsWith('text/html');
}

/** Directory listings, the entry page and robots.txt are nginx's own words. */
function isFile({ status, url }: ReadResponse): boolean {
  return status === 200 && !/\/(?:howto|technical)\/$|\/manuals\.html$|\/robots\.txt$/u.test(url);
}

function servedFile(htmlDir: string, url: string): string {
  return join(htmlDir, decodeURIComponent(new URL(url).pathname).replace(/\/$/u, '/index.html'));
}

async function sha256OfFile(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
