import type { ClaimedUrl, Lease } from '../db/claim.ts';
import { refusalIn } from '../store/disk-room.ts';
import type { FetchResult } from '../web/fetch-url.ts';
import type { ActivityDeps } from './deps.ts';
import { hostSettlementNow, type HostDebt } from './host-settlement.ts';
import { keepPage, type KeptPage } from './keep-page.ts';
import { settleSurely } from './settle-surely.ts';
import { TOUCH, unkept } from './url-settlement.ts';

/** How long a page waits that a fault of ours kept from being stored, in milliseconds; our choice. */
const FAULT_PAUSE_MS = 60_000;

/**
 * Keeps a page, or puts its URL back as it was: that we could not keep the answer is no fault of the URL's, so its
 * claims and its ladder stand as before, and the host is owed its gap. Where the disk refused it, it is due at once:
 * the worker holds back until there is room.
 *
 * @returns `undefined` where the disk refused the page.
 * @throws any other fault, after the URL was put back.
 */
export async function keepOrPutBack(
  deps: ActivityDeps,
  {
    lease,
    url,
    debt,
    result,
  }: {
    readonly lease: Lease;
    readonly url: ClaimedUrl;
    readonly debt: HostDebt;
    readonly result: FetchResult;
  },
): Promise<KeptPage | undefined> {
  try {
    return await keepPage(deps, url, result);
  } catch (fault) {
    const refusal = refusalIn(fault);
    if (refusal !== undefined) deps.disk.refused(refusal);
    const dueInMs = refusal === undefined ? FAULT_PAUSE_MS : 0;
    await settleSurely(deps, lease, () => ({
      crawlId: url.crawlId,
      host: hostSettlementNow(debt),
      url: unkept(url, dueInMs),
      record: null,
      outbox: TOUCH,
    }));
    if (refusal === undefined) throw fault;
    return undefined;
  }
}
