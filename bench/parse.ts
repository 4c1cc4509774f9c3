import * as cheerio from 'cheerio';
import * as slim from 'cheerio/slim';
import { extractPage } from '../web/extract-links.ts';

/** How long an ordinary page takes to parse, by cheerio's default parser, by its slim one, and by ours: the same links. */
const PAGE_LINKS = 300;
const ROUNDS = 200;

const page = ordinaryPage();
const body = Buffer.from(page);
const rivals = {
  'cheerio (parse5)': () => linksBy(cheerio.load(page)),
  'cheerio/slim (htmlparser2)': () => linksBy(slim.load(page)),
  decorum: () =>
    extractPage({ url: 'http://a.test/', contentType: 'text/html', body }).links.length,
};

console.log(
  `a page of ${String(Math.round(body.byteLength / 1000))} kB with ${String(PAGE_LINKS)} links`,
);
const medians = Object.entries(rivals).map(([name, parse]) => ({
  name,
  links: parse(),
  ms: medianMs(parse),
}));
const first = medians[0]?.ms ?? 1;
for (const { name, links, ms } of medians) {
  if (links !== PAGE_LINKS) throw new Error(`${name} found ${String(links)} links`);
  console.log(`${name.padEnd(28)} ${ms.toFixed(2)} ms   ${(ms / first).toFixed(2)} of the first`);
}

function linksBy($: cheerio.CheerioAPI): number {
  return new Set(
    $('a[href]')
      .map((_, link) => new URL($(link).attr('href') ?? '', 'http://a.test/').href)
      .get(),
  ).size;
}

function medianMs(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

function ordinaryPage(): string {
  const item = (n: number): string =>
    `<li class="item" id="i${String(n)}"><a href="/p/${String(n)}" title="Page ${String(n)}">Page ${String(n)}</a> ` +
    `<span class="note">Some words about page ${String(n)} &amp; what it holds.</span></li>\n`;
  const items = Array.from({ length: PAGE_LINKS }, (_, n) => item(n)).join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A list</title></head><body><ul>${items}</ul></body></html>`;
}
