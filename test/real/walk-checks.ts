import { compareRequests } from './differences.ts';
import { MANUAL_HOSTS } from './manual-hosts.ts';
import { requestsTo, type LoggedRequest, type ManualSites } from './manual-sites.ts';
import { expectNone, type Tally } from './tally.ts';

/**
 * Whether wget and Decorum asked for the same, robots.txt and what isn't HTML included, and were answered the same. Both
 * sets are nginx's own: what a walker says of itself isn't asked.
 */
export async function checkSameWalk(
  { check }: Tally,
  sites: ManualSites,
  byWget: readonly LoggedRequest[],
  byDecorum: readonly LoggedRequest[],
): Promise<void> {
  for (const host of MANUAL_HOSTS) {
    const pages = new Set(requestsTo(host, sites, byWget).filter(isPage).map(requestLine)).size;
    await check(`wget reaches enough of ${host.host} for a comparison (${pages} pages)`, () => {
      if (pages < host.minPages) throw new Error(`Fewer than ${host.minPages}`);
    });
  }
  const { unmatched, idle, inBoth } = compareRequests(
    byWget.map(requestLine),
    byDecorum.map(requestLine),
  );
  await check(`wget and Decorum ask for the same and are answered the same (${inBoth})`, () => {
    expectNone(unmatched, 'Differences that no rule matches');
  });
  await check('every rule for a difference matches one', () => {
    expectNone(idle, 'Rules without a difference');
  });
}

/** Whether two walks of one host by Decorum asked for the same and were answered the same. */
export async function checkUndisturbedWalk(
  { check }: Tally,
  killed: readonly LoggedRequest[],
  undisturbed: readonly LoggedRequest[],
): Promise<void> {
  const lines = killed.map(requestLine);
  const { unmatched, inBoth } = compareRequests(lines, undisturbed.map(requestLine), []);
  await check(`killed or undisturbed, a crawl asks for the same (${inBoth})`, () => {
    if (inBoth === 0) throw new Error('Nothing was asked for');
    // compareRequests calls its first set wget's.
    expectNone(
      unmatched.map((one) => one.replace('only wget', 'only the killed one')),
      'Differences',
    );
  });
}

function isPage({ status, contentType }: LoggedRequest): boolean {
  return status === 200 && contentType.startsWith('text/html');
}

/** Without the port, which differs from run to run. */
function requestLine({ url, status }: LoggedRequest): string {
  return `${url.replace(/^http:\/\/([^/:]*):\d+/u, '$1')} ${status}`;
}
