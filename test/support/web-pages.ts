import { seededRandom } from './web-random.ts';
import type { Markup, Place, Resource } from './web-resources.ts';

/** What a page's HTML is made from. */
export interface PageText {
  readonly place: Place;
  readonly links: readonly Place[];
  readonly markup: Markup;
  /** Size that the text is filled up to. */
  readonly pageBytes: number;
  readonly port: number;
  readonly seed: number;
}

/** The HTML of a page, the same for the same arguments and different for different places. ASCII only. */
export function renderPage(page: PageText): string {
  const links = page.links.map((link) => renderLink(link, page)).join('\n');

  switch (page.markup) {
    case 'clean':
      return fill(cleanHead(page.place, links), page, '</p>\n</body></html>\n');
    case 'broken':
      return fill(brokenHead(page.place, links), page, '</b></table><!-- never closed <a href="');
    case 'deep':
      return fill(`${cleanHead(page.place, links)}${'<div>'.repeat(DEEP_LEVELS)}`, page, '');
  }
}

/** A sitemap's text (sitemaps.org). */
export function renderSitemap(
  { form, links }: Resource & { readonly kind: 'sitemap' },
  port: number,
): string {
  const urls = links.map((link) => urlOf(link, port));
  if (form === 'lines') return `${urls.join('\n')}\n`;
  const [root, block] = form === 'index' ? ['sitemapindex', 'sitemap'] : ['urlset', 'url'];
  const blocks = urls.map(
    (url) => `<${block}><loc>${url.replaceAll('&', '&amp;')}</loc></${block}>`,
  );
  return `<?xml version="1.0"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${blocks.join('\n')}</${root}>\n`;
}

/** How a place is written in a link or `Location`: its path on its own host, else the whole URL. */
export function referenceTo(target: Place, fromHost: string, port: number): string {
  return target.host === fromHost ? target.path : urlOf(target, port);
}

/** The URL of a place, as WHATWG writes it. */
export function urlOf({ host, path }: Place, port: number): string {
  return `http://${host}:${port}${path}`;
}

// Deep enough to make a tree builder with scope checks crawl, small enough to be sent often.
const DEEP_LEVELS = 10_000;

const PARAGRAPH_BYTES = 4_000;

const WORDS =
  'amber brook cedar delta ember fjord grove heath inlet juniper kelp lagoon meadow north oasis prairie quarry reef shoal tundra'.split(
    ' ',
  );

function cleanHead({ host, path }: Place, links: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${host} ${path}</title></head><body>
<h1>${path} of ${host}</h1>
${links}
<p>`;
}

function brokenHead({ host, path }: Place, links: string): string {
  return `<html><body><title>${host} ${path}<//title></title><table><b><p =x "'>
${links.replaceAll('"', '')}
</p></i><td><<p class=half>`;
}

function renderLink(link: Place, { place, port }: PageText): string {
  const reference = referenceTo(link, place.host, port).replaceAll('&', '&amp;');
  return `<a href="${reference}">${link.path} of ${link.host}</a>`;
}

/** Fills the page up to its size, exactly unless its links are larger, by repeating a paragraph of its own. */
function fill(head: string, { place, pageBytes, seed }: PageText, tail: string): string {
  const random = seededRandom(`${seed} ${place.host} ${place.path} text`);
  const missing = Math.max(0, pageBytes - head.length - tail.length);
  let paragraph = '';
  while (paragraph.length < Math.min(missing, PARAGRAPH_BYTES)) {
    paragraph += `${WORDS[Math.floor(random() * WORDS.length)] ?? ''} `;
  }
  const text = paragraph.repeat(Math.ceil(missing / Math.max(1, paragraph.length)));
  return head + text.slice(0, missing) + tail;
}
