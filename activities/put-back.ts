import type { ClaimedRequest } from '../db/claim.ts';
import type { FetchRecord } from '../db/settle.ts';
import type { ActivityDeps } from './deps.ts';
import { fetchRecordNow, unsent, type Unsendable } from './fetch-record.ts';
import type { Served } from './served.ts';
import { settleSurely } from './settle-surely.ts';
import { outboxRowOf, verdictOf, type Verdict } from './url-settlement.ts';

/** Settles a URL by rule, without a request: the host owes nothing and may be asked at once. */
export async function settleByRule(
  deps: ActivityDeps,
  { lease, url }: ClaimedRequest,
  verdict: Verdict,
  record: FetchRecord | null = null,
): Promise<Served> {
  await settleSurely(deps, lease, () => ({
    crawlId: url.crawlId,
    host: null,
    url: verdict.url,
    record,
    outbox: outboxRowOf(url, verdict, { bytes: 0, links: [] }),
  }));
  return { kind: 'nothingSent', waitMs: 0 };
}

/**
 * A name that has no address is the URL's failure: it climbs the ladder. One that leads where nothing may go excludes it.
 * No request was sent to anybody.
 */
export async function settleWithoutRequest(
  deps: ActivityDeps,
  claimed: ClaimedRequest,
  failure: Unsendable,
): Promise<Served> {
  const result = unsent(failure);
  const verdict = verdictOf(claimed.url, result.outcome, 0);
  const record = fetchRecordNow(claimed.url.requestUrl, verdict.outcome, result);
  return settleByRule(deps, claimed, verdict, record);
}
