import { directivesOfMeta } from '../../domain/robots-directives.ts';
import { DEFAULT_SETTINGS } from '../../domain/crawl-settings.ts';
import { lookUpNameOf } from '../../domain/dns-rules.ts';
import { parseHostKey } from '../../domain/host-key.ts';
import { parseHttpDateMs } from '../../domain/http-date.ts';
import { parseMediaRange } from '../../domain/media-type.ts';
import { parseRequestUrl } from '../../domain/request-url.ts';
import { parseRobots, productTokenOf, robotsVerdict } from '../../domain/robots.ts';
import { trapReason } from '../../domain/traps.ts';
import { urlKeyOf } from '../../domain/url-key.ts';
import { parseW3cDateMs } from '../../domain/w3c-date.ts';
import { extractPage } from '../../web/extract-links.ts';

// A process of its own, since locale and zone are fixed at its start: prints what the rules read in fixed inputs.
const USER_AGENT = 'INSPIDER/1.0 (+https://example.com/bot)';
const NOW_MS = Date.UTC(2026, 2, 1, 0, 30);
const html = `<!DOCTYPE HTML><TITLE>I \u0130 \u0131</TITLE><BASE HREF="HTTPS://A.TEST/I/">
  <META NAME="ROBOTS" CONTENT="NOINDEX"><META NAME="INSPIDER" CONTENT="NOFOLLOW">
  <LINK REL="CANONICAL" HREF="INDEX.HTML"><A HREF="TITLE?ID=I" REL="NOFOLLOW">I</A><IFRAME SRC="I"></IFRAME>`;
const page = extractPage({
  url: 'https://a.test/',
  contentType: 'TEXT/HTML; CHARSET=ISO-8859-9',
  body: Buffer.from(html, 'latin1'),
});
const robots = parseRobots(
  'USER-AGENT: inspider\nDISALLOW: /I\nSITEMAP: HTTPS://A.TEST/I.XML\n',
  productTokenOf(USER_AGENT),
);
const urls = [
  'HTTPS://A.TEST/I',
  'https://\u0130.test/',
  'http://A.TEST/?ID=I&i=1&UTM_ID=I',
  'https://a.test/calendar/2035/12/31/',
]
  .map((text) => parseRequestUrl(text))
  .filter((url) => url !== undefined);

process.stdout.write(
  JSON.stringify({
    page,
    directives: directivesOfMeta(page.robots, { userAgent: USER_AGENT, nowMs: NOW_MS }),
    robots: urls.map((url) => robotsVerdict(robots, url)),
    sitemaps: robots.sitemaps,
    urls,
    keys: urls.map((url) => urlKeyOf(url, DEFAULT_SETTINGS)),
    hosts: [parseHostKey('WWW.I.TEST'), lookUpNameOf('WWW.I.TEST.')],
    dates: [
      parseHttpDateMs('Sun, 01 Mar 2026 00:30:00 GMT', NOW_MS),
      parseHttpDateMs('SUNDAY, 01-MAR-26 00:30:00 GMT', NOW_MS),
      parseHttpDateMs('Fri Apr  3 00:30:00 2026', NOW_MS),
      parseW3cDateMs('2026-03-01'),
      parseW3cDateMs('2026-03-01T00:30'),
      parseW3cDateMs('2026-03-08 02:30:00'),
    ],
    media: parseMediaRange('IMAGE/*'),
    traps: urls.map((url) => trapReason(url, DEFAULT_SETTINGS, NOW_MS) ?? null),
  }),
);
