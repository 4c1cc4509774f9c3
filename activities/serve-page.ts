import { LEASE_MS, type ClaimedRequest, type ClaimedUrl, type Lease } from '../db/claim.ts';
import { giveBack } from '../db/leases.ts';
import type { FoundLink } from '../db/settle.ts';
import { portOf } from '../domain/blocked-ports.ts';
import { destinationOf } from '../domain/destination.ts';
import type { PageRemark } from '../domain/outcome.ts';
import { isLastTry, MAX_CLAIMS } from '../domain/retry.ts';
import { robotsVerdict } from '../domain/robots.ts';
import { fetchUrl, type FetchResult } from '../web/fetch-url.ts';
import { MAX_SITEMAP_BYTES } from '../web/read-sitemap.ts';
import type { ActivityDeps } from './deps.ts';
import { fetchRecordNow, noteOf, type RecordExtras } from './fetch-record.ts';
import { foundLinks, redirectTarget, type LeftOut } from './found-links.ts';
import {
  bookedGapMs,
  debtAfter,
  hostSettlementNow,
  owedNowMs,
  settingsAt,
  type HostDebt,
} from './host-settlement.ts';
import { keepLease } from './keep-lease.ts';
import { keepOrPutBack } from './keep-or-put-back.ts';
import type { KeptPage } from './keep-page.ts';
import { lookUp } from './look-up.ts';
import { leaveAloneUntil } from './not-before.ts';
import { pageBands, tellFaults, type PageBands } from './page-bands.ts';
import { settleByRule, settleWithoutRequest } from './put-back.ts';
import { requestLimits } from './request-limits.ts';
import { robotsRulesOf } from './robots-rules.ts';
import type { Served } from './served.ts';
import { settleSurely } from './settle-surely.ts';
import { isNamedSitemap, tellEntries, tellSitemaps } from './sitemaps.ts';
import { cookiesOf, type Stay } from './stay.ts';
import { ended, outboxRowOf, verdictOf, type Verdict } from './url-settlement.ts';
import { askedAbout, lastAnswerAfter } from './validators.ts';

/** A page's way: the rules, the name, the fetch, the WARC record, the parse, the settle. */
export async function servePage(
  deps: ActivityDeps,
  stay: Stay,
  claimed: ClaimedRequest,
): Promise<Served> {
  const { url } = claimed;
  const refusal = await refusalOf(deps, claimed);
  if (refusal !== undefined) return settleByRule(deps, claimed, refusal);

  const name = await lookUp(deps, stay, new URL(url.requestUrl).hostname, url.settings);
  if (name.kind === 'underWay') {
    await giveBack(deps.db, claimed.lease, url, { claimed: true });
    await name.finish();
    return { kind: 'nothingSent', waitMs: 0 };
  }
  if (name.resolution.kind === 'failed')
    return settleWithoutRequest(deps, claimed, name.resolution);
  const destination = destinationOf(
    portOf(url.requestUrl),
    name.resolution.addresses,
    url.settings,
  );
  if (destination.kind === 'refused') return settleWithoutRequest(deps, claimed, destination);

  stay.showing({ doing: 'fetching', url: url.requestUrl });
  stay.requests += 1;
  return fetchAndSettle(deps, stay, claimed, destination.addresses);
}

/** Why a claimed URL may not be fetched after all, by what is known without asking anybody. */
async function refusalOf(
  deps: ActivityDeps,
  claimed: ClaimedRequest,
): Promise<Verdict | undefined> {
  const { url, robots } = claimed;
  if (url.claims > MAX_CLAIMS) return ended(url, 'dead', 'dead', 'never settled', false);
  if (robots.gaveUp) return ended(url, 'dead', 'dead', 'robots unreachable', false);
  if (robots.access !== 'rules') return undefined;
  const rules = await robotsRulesOf(deps, robots, url.settings.userAgent);
  await tellSitemaps(deps, claimed, rules);
  const { allowed, rule, line } = robotsVerdict(rules, url.requestUrl);
  if (allowed) return undefined;
  return ended(
    url,
    'excluded',
    'excluded',
    `robots: ${rule ?? ''} (line ${String(line ?? 0)})`,
    false,
  );
}

async function fetchAndSettle(
  deps: ActivityDeps,
  stay: Stay,
  { lease, url, clock }: ClaimedRequest,
  addresses: readonly string[],
): Promise<Served> {
  const settings = settingsAt(url.settings, clock, addresses);
  const startedAtMs = performance.now();
  let fetchedMs: number | undefined;
  const kept = keepLease(deps.db, lease, () =>
    bookedGapMs(settings, clock, fetchedMs ?? performance.now() - startedAtMs + LEASE_MS),
  );
  try {
    const result = await fetchUrl({
      url: url.requestUrl,
      addresses,
      ...requestLimits(deps, settings),
      skipTypes: isNamedSitemap(url) ? [] : settings.skipTypes,
      cookies: cookiesOf(stay, url),
      validators: askedAbout(url),
      isLastTry: isLastTry(url.failures, settings.retryLadderMs),
      maxBodyBytes: isNamedSitemap(url)
        ? Math.max(settings.maxBodyBytes, MAX_SITEMAP_BYTES)
        : settings.maxBodyBytes,
      signal: kept.lost,
    });
    fetchedMs = result.fetchMs;
    const debt = debtAfter(settings, clock, result);
    leaveAloneUntil(
      deps.notBefore,
      lease.hostId,
      debt.endedAtMs + Math.max(debt.gapMs, debt.blockMs),
    );
    const keptPage = await keepOrPutBack(deps, { lease, url, debt, result });
    if (keptPage === undefined) {
      stay.notes.push({ url: url.requestUrl, outcome: 'not kept', at: new Date().toISOString() });
      return sent(lease, debt);
    }
    const bands = await pageBands(deps, url.settings);
    const { links, leftOut } = linksOf(deps, url, { result, keptPage, bands });
    const { sitemap } = keptPage;
    const named = sitemap === undefined ? 0 : await tellEntries(deps, url, sitemap, bands);
    const bytes = result.answer?.rawBody.byteLength ?? 0;
    const lastAnswer = lastAnswerAfter(url, result, keptPage);
    const isSitemap = lastAnswer?.isSitemap === true || sitemap !== undefined;
    const settled = await settleSurely(deps, lease, () => {
      const judged = verdictOf(url, result.outcome, owedNowMs(debt));
      const verdict = isSitemap ? asSitemap(judged) : judged;
      return {
        crawlId: url.crawlId,
        host: hostSettlementNow(debt),
        url: lastAnswer === undefined ? verdict.url : { ...verdict.url, lastAnswer },
        record: fetchRecordNow(
          url.requestUrl,
          verdict.outcome,
          result,
          extrasOf(verdict, keptPage, links.length + named),
        ),
        outbox: outboxRowOf(url, verdict, {
          bytes,
          links: deps.seenCache.notSeen(url.crawlId, links),
          leftOut,
        }),
      };
    });
    if (!settled)
      deps.log.warn(
        { url: url.requestUrl },
        'lease lost before the settle: the page will be asked again',
      );
    await tellFaults(deps, url.crawlId, bands);
    stay.notes.push({ url: url.requestUrl, outcome: noteOf(result), at: new Date().toISOString() });
    return sent(lease, debt);
  } finally {
    kept.letGo();
  }
}

/** A sitemap is no page of the budget (R43); the remark is what it is told by afterwards. */
function asSitemap(verdict: Verdict): Verdict {
  const reason: PageRemark = 'sitemap';
  return { ...verdict, isPage: false, url: { ...verdict.url, reason } };
}

function sent({ hostId }: Lease, debt: HostDebt): Served {
  return { kind: 'sent', hostId, owedMs: owedNowMs(debt), durable: debt.blockMs > 0 };
}

/** Where an answer leads, and how many of its links were left out, by rule. */
interface Leads {
  readonly links: readonly FoundLink[];
  readonly leftOut: Readonly<Record<string, number>>;
}

/** At most one line a page of all that was left out, however much it is. */
function linksOf(
  { log }: ActivityDeps,
  url: ClaimedUrl,
  {
    result,
    keptPage,
    bands,
  }: { readonly result: FetchResult; readonly keptPage: KeptPage; readonly bands: PageBands },
): Leads {
  const byRule: LeftOut = new Map();
  if (keptPage.links === undefined) {
    const { target } = verdictOf(url, result.outcome, 0);
    const links = target === null ? [] : redirectTarget(url, target, bands, byRule);
    return { links, leftOut: Object.fromEntries(byRule) };
  }
  const links = foundLinks(url, keptPage.links, bands, byRule);
  const counts = Object.entries({ ...keptPage.leftOut, ...Object.fromEntries(byRule) });
  const found = Object.fromEntries(counts.filter(([, count]) => count > 0));
  if (Object.keys(found).length > 0) {
    log.debug({ url: url.requestUrl, byRule: found }, 'links not taken as they are written');
  }
  // A name or password is only cut out of its link.
  const leftOut = Object.entries(found).filter(([rule]) => rule !== 'userinfo');
  return { links, leftOut: Object.fromEntries(leftOut) };
}

function extrasOf(
  { url }: Verdict,
  { place, title, noindex, stopped, sitemap }: KeptPage,
  links: number,
): RecordExtras {
  return {
    reason: sitemap === undefined ? (stopped ?? url.reason) : url.reason,
    digest: place?.digest ?? null,
    links,
    title: title ?? null,
    noindex: noindex ?? false,
    warcFile: place?.file ?? null,
    warcOffset: place?.offset ?? null,
    warcLength: place?.length ?? null,
  };
}
