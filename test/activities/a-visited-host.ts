import type { ActivityDeps } from '../../activities/deps.ts';
import type { Db } from '../../db/pool.ts';
import type { CrawlSettings } from '../../domain/crawl-settings.ts';
import { ensureHost } from '../../db/leases.ts';
import { givenUrl, runningCrawl, type GivenUrl } from '../db/a-frontier.ts';
import { rawHost } from '../web/loopback.ts';
import { depsOn, visitHost } from './a-visit.ts';

export const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';

/** A link that waits in the outbox; addresses of the host itself without their origin. */
export interface Left {
  readonly path: string;
  readonly foundOn: string;
  readonly depth: number;
}

/** What a visit did. */
export interface VisitedHost {
  readonly left: readonly Left[];
  /** Paths in the order of their requests. */
  readonly asked: readonly string[];
  /** Every line that was logged, with its fields. */
  readonly logged: readonly string[];
}

/** One visit of the host `127.0.0.1`, whose answers are these by path; `given` is the URL at `path`. */
export async function visitedHost(
  db: Db,
  answers: Readonly<Record<string, string | Buffer>>,
  path: string,
  {
    settings = {},
    given = () => ({}),
    deps,
  }: {
    readonly settings?: Partial<CrawlSettings>;
    readonly given?: (origin: string) => GivenUrl;
    readonly deps?: ActivityDeps;
  } = {},
): Promise<VisitedHost> {
  const pathOf = (head: string): string => head.split(' ')[1] ?? '';
  const site = await rawHost((socket, head) => {
    socket.end(answers[pathOf(head)] ?? NOT_FOUND);
  });
  const origin = `http://127.0.0.1:${site.port}`;
  const crawlId = await runningCrawl(db, { minGapMs: 1, gapFactor: 0, ...settings });
  const hostId = await ensureHost(db, '127.0.0.1');
  await givenUrl(db, { crawlId, hostId }, origin + path, given(origin));
  const logged: string[] = [];
  const note = (fields: object, message: string): void => {
    logged.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log = { debug: note, info: note, warn: note };
  const visitor = deps ?? { ...(await depsOn(db)), log };
  await visitHost(visitor, '127.0.0.1', { pages: 3, ms: 60_000 });
  const { rows } = await db.query<Left>(
    `select l ->> 'url' as path, found_on as "foundOn", (l ->> 'depth')::int as depth
       from outbox, jsonb_array_elements(links) l
      order by outbox_id, 1`,
  );
  const shown = (text: string): string => text.replace(origin, '');
  return {
    asked: site.requests.map(pathOf),
    left: rows.map((row) => ({ ...row, path: shown(row.path), foundOn: shown(row.foundOn) })),
    logged,
  };
}
