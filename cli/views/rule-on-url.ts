import { linkExclusion } from '../../domain/admission.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import type { RequestUrl } from '../../domain/request-url.ts';
import { trapSign } from '../../domain/traps.ts';
import type { TrapSign } from '../../domain/traps.ts';
import { selectionExclusion, selectionText, urlSelectionOf } from '../../domain/url-selection.ts';

/** What a crawl with these settings does with a link to a URL that it doesn't have, and by which rule. */
export function ruleOn(url: RequestUrl, settings: CrawlSettings, nowMs: number): string {
  const { scope, scopeRoots, maxUrlLength, depthLimit } = settings;
  const rules = {
    ...settings,
    depthLimit: null,
    scope: { kind: scope, roots: new Set(scopeRoots) },
    selection: urlSelectionOf(settings),
  };
  const rule = linkExclusion(url, { depth: 0, nowMs }, rules);
  if (rule === 'scope') return `leaves it out by its scope (${scope}: ${shortList(scopeRoots)})`;
  if (rule === 'length') {
    return `leaves it out by its length (${url.length} characters, at most ${maxUrlLength})`;
  }
  const sign = trapSign(url, settings, nowMs);
  if (sign !== undefined) return `leaves it out as a trap: ${trapFigures(sign)}`;
  const own = selectionExclusion(url, undefined, rules.selection);
  if (own !== undefined) return `leaves it out: ${selectionText(own)}`;
  const where = depthLimit === null ? '' : ` at a depth below ${depthLimit}`;
  return `would take it, but no page fetched so far${where} links to it`;
}

function trapFigures({ reason, found, limit }: TrapSign): string {
  switch (reason) {
    case 'segments':
    case 'parameters':
      return `${found} ${reason}, at most ${limit} are taken`;
    case 'repeatedSegments':
      return `${reason}, "${found}" more than ${limit} times in a row`;
    case 'repeatedParameters':
      return `${reason}, one of them ${found} times, at most ${limit} are taken`;
    case 'calendar':
      return `${reason}, the year ${found} is more than ${limit} years from now`;
  }
}

/** The first few of a list that may be long. */
function shortList(items: readonly string[]): string {
  const shown = items.slice(0, 3).join(', ');
  return items.length > 3 ? `${shown} and ${items.length - 3} more` : shown;
}
