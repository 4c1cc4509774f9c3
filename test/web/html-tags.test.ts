import * as cheerio from 'cheerio';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRequestUrl } from '../../domain/request-url.ts';
import { extractPage } from '../../web/extract-links.ts';

const url = 'http://a.test/';

function linksOf(html: string): readonly string[] {
  return extractPage({ url, contentType: 'text/html', body: Buffer.from(html) }).links;
}

/** The links of a browser's tree: parse5 builds it by the letter of the standard. */
function linksByTree(html: string): readonly string[] {
  const $ = cheerio.load(html, { scriptingEnabled: false });
  const written = $('a, area')
    .toArray()
    .flatMap((element) => $(element).attr('href') ?? $(element).attr('xlink:href') ?? []);
  const urls = written.flatMap((href) => parseRequestUrl(href.trim(), url) ?? []);
  return [...new Set(urls)].sort();
}

describe('links are those of the tree that a browser builds', () => {
  test.each([
    '<script/><a href=/x></a></script><a href=/y>',
    '<script><a href=/x></script/><a href=/y>',
    '<script src=a /><a href=/x></script x="><a href=/y>"><a href=/z>',
    '<script><!--<script><a href=/x></script><a href=/y></script><a href=/z>',
    '<script><!--<script></script>--><a href=/x></script><a href=/y>',
    '<script><!--><script></script><a href=/x>',
    '<style/><a href=/x></style ><a href=/y>',
    '<textarea/><a href=/x></textareas></textarea><a href=/y>',
    '<title/><a href=/x></title><a href=/y>',
    '<iframe><a href=/x></iframe><a href=/y>',
    '<noembed><a href=/x></noembed><noframes><a href=/y></noframes><a href=/z>',
    '<noscript><a href=/x></noscript><a href=/y>',
    '<xmp/><a href=/x></xmp><a href=/y>',
    '<a href=/x><plaintext></plaintext><a href=/y>',
    '<svg><script/><a href=/x></svg><a href=/y>',
    '<svg><script><a href=/x></a></script><style><a href=/y></style></svg>',
    '<svg><title><a href=/x></a></title></svg><title><a href=/y></title><a href=/z>',
    '<svg><title><script></svg><a href=/x></script></title></svg><a href=/y>',
    '<svg/><script><a href=/x></script><a href=/y>',
    '<svg><p><script><a href=/x></script><a href=/y>',
    '<svg><g></p><script><a href=/x></script><a href=/y>',
    '<svg><svg></svg><script><a href=/x></script></svg><style><a href=/y></style>',
    '<svg><a xlink:href=/x></a></svg>',
    '<math><mi><script><a href=/x></script></mi><script><a href=/y></a></script></math>',
    '<svg><![CDATA[ <a href=/x> ]]><a href=/y></svg><![CDATA[ <a href=/z> ]]>',
    '<!--><a href=/x><!---><a href=/y><!-- --!><a href=/z>',
    '<!><a href=/x><!-><a href=/y><?><a href=/z></ ><a href=/w></><a href=/v>',
    '<!-- <!-- --> <a href=/x> --> <!--- ---><a href=/y>',
    '<a/href=/x><a href=/y/><a href= /z><a x=">" href=/w><a href=/v',
    '<a =href=/x><a href href=/y><a href=""x href=/z><a HREF=/w><a\fhref=/v>',
    '</b x="><a href=/x>"><a href=/y>',
    '<a href="/a&amp;b&lt&copy=1&copy;&notit;&#38;&#x26;">',
    '<a href="/a\0b">',
    '<a\0 href=/x><a\u00a0href=/y><1 href=/z><<a href=/w>',
  ])('%s', (html) => {
    expect([...linksOf(html)].sort()).toEqual(linksByTree(html));
  });

  test('in soup of what parts text from tags', () => {
    const named = fc
      .tuple(
        fc.constantFrom('<', '</', '< ', '<!', '</ '),
        fc.constantFrom(
          ...[
            'script',
            'style',
            'textarea',
            'title',
            'iframe',
            'noscript',
            'xmp',
            'noembed',
            'noframes',
          ],
          ...['scripts', 'b', 'SCRIPT', 'plaintext'],
        ),
        fc.constantFrom('>', '/>', ' >', ' x>', '', ' a="', '\n>'),
      )
      .map((parts) => parts.join(''));
    const link = fc.nat({ max: 9 }).map((n) => `<a href=/${n}>`);
    const mark = fc.constantFrom(
      ...[
        '<!--',
        '-->',
        '--!>',
        '--',
        '<!-->',
        '<!--->',
        '<![CDATA[',
        ']]>',
        '<!',
        '<?',
        '<',
        '>',
        '/>',
      ],
      ...['"', "'", '=', ' ', '\n', 'x', '&lt;', '\0', '</a>', '<a href="', '<area href=/10 />'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(link, named, mark), { maxLength: 40 }), (pieces) => {
        const html = pieces.join('');
        expect([...linksOf(html)].sort()).toEqual(linksByTree(html));
      }),
      { numRuns: 1_000 },
    );
  });

  // Without closing tags of HTML: what those end inside an open svg needs the tree.
  test('in soup with SVG and MathML', () => {
    const piece = fc.oneof(
      fc.nat({ max: 9 }).map((n) => `<a href=/${n}>`),
      fc.constantFrom(
        ...['<svg>', '</svg>', '<svg/>', '<math>', '</math>', '<p>', '</p>', '<img>'],
        ...['<script>', '</script>', '<script/>', '<style>', '</style>', '<xmp>', '</xmp>'],
        ...['<![CDATA[', ']]>', '<!--', '-->', 'x'],
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const html = pieces.join('');
        expect([...linksOf(html)].sort()).toEqual(linksByTree(html));
      }),
      { numRuns: 1_000 },
    );
  });
});
