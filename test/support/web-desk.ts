import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

import type { Judge } from './judge.ts';
import { answerOf, NO_SUCH_HOST, type Answer, type AskedBefore } from './web-answers.ts';
import type { Holds } from './web-holds.ts';
import { urlOf } from './web-pages.ts';
import type { Ending } from './web-requests.ts';
import type { Place } from './web-resources.ts';
import { send } from './web-send.ts';
import { isRobotsPath, type Site } from './web-site.ts';

/** A request as a listener hears of it, before it is answered. */
export interface AskedFor {
  readonly host: string;
  /** Path with query. */
  readonly path: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** What the front desk works with. */
export interface DeskSetting {
  readonly sites: ReadonlyMap<string, Site>;
  readonly judge: Judge;
  readonly holds: Holds;
  readonly listeners: ReadonlySet<(request: AskedFor) => void>;
  readonly port: number;
  readonly seed: number;
}

/** Receives every request: shows it to the judge and the listeners, then answers as its host does. */
export class FrontDesk {
  readonly #setting: DeskSetting;
  readonly #asked = new Map<string, AskedBefore>();

  constructor(setting: DeskSetting) {
    this.#setting = setting;
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    const { sites, listeners } = this.#setting;
    const place = placeOf(request);
    const end = this.#noteBegin(request, response, place);
    for (const listener of listeners) listener({ ...place, at: performance.now() });

    const site = sites.get(place.host);
    const answer = site === undefined ? NO_SUCH_HOST : this.#answer(site, place.path);
    this.#whenReady(place, site, () => {
      if (!response.destroyed) send(response, answer, this.#sending(place, site), end);
    });
  }

  #noteBegin(
    request: IncomingMessage,
    response: ServerResponse,
    place: Place,
  ): (ending: Ending) => void {
    const { judge, port, sites } = this.#setting;
    const begun = judge.begin({
      ...place,
      url: urlOf(place, port),
      userAgent: request.headers['user-agent'] ?? '',
      purpose: isRobotsPath(place.path) ? 'robots' : 'page',
      disallowed: sites.get(place.host)?.disallows(place.path) ?? false,
    });

    let hasEnded = false;
    const end = (ending: Ending) => {
      if (!hasEnded) begun(ending);
      hasEnded = true;
    };
    response.once('close', () => {
      end({ kind: 'cut', endMs: performance.now() });
    });
    return end;
  }

  #answer(site: Site, path: string): Answer {
    const before = this.#asked.get(site.spec.name) ?? { robots: 0, pages: 0 };
    const isRobots = isRobotsPath(path);
    this.#asked.set(site.spec.name, {
      robots: before.robots + (isRobots ? 1 : 0),
      pages: before.pages + (isRobots ? 0 : 1),
    });
    return answerOf(site, path, before);
  }

  #whenReady(place: Place, site: Site | undefined, ready: () => void): void {
    const latencyMs = site?.spec.latencyMs ?? (site?.spec.kind === 'slow' ? SLOW_LATENCY_MS : 0);
    this.#setting.holds.afterRelease(place, () => {
      if (latencyMs === 0) ready();
      else setTimeout(ready, latencyMs).unref();
    });
  }

  #sending(place: Place, site: Site | undefined) {
    const { port, seed } = this.#setting;
    return { place, port, seed, pageBytes: site?.spec.pageBytes ?? DEFAULT_PAGE_BYTES };
  }
}

const SLOW_LATENCY_MS = 300;
const DEFAULT_PAGE_BYTES = 3_000;

/** Host of the `Host` header and path; a request in absolute form (RFC 9112 §3.2.2) is read the same. */
function placeOf({ headers, url = '/' }: IncomingMessage): Place {
  const host = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  return { host, path: url.replace(/^http:\/\/[^/]*/, '') };
}
