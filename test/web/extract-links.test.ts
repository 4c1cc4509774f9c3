import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRequestUrl } from '../../domain/request-url.ts';
import { extractPage } from '../../web/extract-links.ts';
import type { ParsedPage } from '../../web/extract-links.ts';

const URL_OF_PAGE = 'http://a.example/dir/page.html';

function extract(html: string | Uint8Array, contentType = 'text/html; charset=utf-8'): ParsedPage {
  const body = typeof html === 'string' ? Buffer.from(html) : html;
  return extractPage({ url: URL_OF_PAGE, contentType, body });
}

describe('links', () => {
  test.each([
    { rule: 'a', html: '<a href="next.html">', links: ['http://a.example/dir/next.html'] },
    {
      rule: 'area, also with a word that says it has none [LNK17]',
      html: '<map><area href="/x"><area href="/y" nohref></map>',
      links: ['http://a.example/x', 'http://a.example/y'],
    },
    { rule: 'frame', html: '<frame src="/x">', links: ['http://a.example/x'] },
    { rule: 'iframe', html: '<iframe src="/x"></iframe>', links: ['http://a.example/x'] },
    { rule: 'link rel=next', html: '<link rel="next" href="/2">', links: ['http://a.example/2'] },
    {
      rule: 'link rel=prev',
      html: '<link rel="PREV x" href="/0"/>',
      links: ['http://a.example/0'],
    },
    { rule: 'a style sheet is none', html: '<link rel=stylesheet href="/s.css">', links: [] },
    {
      rule: 'meta refresh',
      html: `<meta http-equiv=Refresh content="0; URL='/new'">`,
      links: ['http://a.example/new'],
    },
    {
      rule: 'meta refresh, its content first [LNK12]',
      html: '<meta content="0;url=one" http-equiv="Refresh">',
      links: ['http://a.example/dir/one'],
    },
    {
      rule: 'meta refresh, quoted, with words behind it [LNK14]',
      html: `<meta http-equiv="refresh" content="5 , URL = '../three' trailing">`,
      links: ['http://a.example/three'],
    },
    {
      rule: 'meta refresh to a script is none',
      html: '<meta http-equiv=refresh content="0;url=javascript:x()">',
      links: [],
    },
    {
      rule: 'meta refresh, loosely written',
      html: '<meta http-equiv="refresh" content="5,/new">',
      links: ['http://a.example/new'],
    },
    { rule: 'a reload is none', html: '<meta http-equiv="refresh" content="30">', links: [] },
    { rule: 'no quotes, odd case', html: '<A HREF=/x>', links: ['http://a.example/x'] },
    { rule: 'a fragment is dropped', html: '<a href="/x#y">', links: ['http://a.example/x'] },
    {
      rule: 'entities are decoded',
      html: '<a href="/q?a=1&amp;b=2&#38;c=&#x33;">',
      links: ['http://a.example/q?a=1&b=2&c=3'],
    },
    {
      rule: 'character references of addresses [LNK08]',
      html: '<a href="/a?x=1&copy=2&amp;y=3"><a href="&#x2F;e&#47;f"><a href="/g&ampz">',
      links: [
        'http://a.example/a?x=1&copy=2&y=3',
        'http://a.example/e/f',
        'http://a.example/g&ampz',
      ],
    },
    {
      rule: 'a name that only looks like an entity stays',
      html: '<a href="/q?a=1&copy=2">',
      links: ['http://a.example/q?a=1&copy=2'],
    },
    {
      rule: 'white space around is no part',
      html: '<a href="\n /x\t ">',
      links: ['http://a.example/x'],
    },
    {
      rule: 'an SVG link',
      html: '<svg><a xlink:href="/x"><a href="/y"></svg>',
      links: ['http://a.example/x', 'http://a.example/y'],
    },
    {
      rule: 'a template keeps its links back',
      html: '<template><a href="/x"></template>',
      links: [],
    },
    {
      rule: 'a shadow root shows them',
      html: '<template shadowrootmode=open><a href="/x"></template><a href="/y">',
      links: ['http://a.example/x', 'http://a.example/y'],
    },
    {
      rule: 'what is shown is no link unless that is asked',
      html: '<img src=/i.png srcset="/2x.png 2x"><script src=/s.js></script><link rel=icon href=/f.ico>',
      links: [],
    },
    {
      rule: 'nofollow links are told too',
      html: '<a rel=nofollow href="/x">',
      links: ['http://a.example/x'],
    },
    {
      rule: 'other schemes are none',
      html: '<a href="mailto:a@b"><a href="javascript:x()"><a href="data:,x">',
      links: [],
    },
    { rule: 'what is no URL is none', html: '<a href="http://[bad/">', links: [] },
    { rule: 'comments hold none', html: '<!-- <a href="/x"> -->', links: [] },
    { rule: 'scripts hold none', html: '<script>"<a href=/x>"</script>', links: [] },
    {
      rule: 'noscript does',
      html: '<noscript><a href="/x"></noscript>',
      links: ['http://a.example/x'],
    },
    {
      rule: 'the first of two equal attributes',
      html: '<a href=/x href=/y>',
      links: ['http://a.example/x'],
    },
    {
      rule: 'an unfinished tag is none',
      html: '<a href="/x"><a href="/y',
      links: ['http://a.example/x'],
    },
    {
      rule: 'each once, in order',
      html: '<a href=/b><a href=/a><a href=/b><a href=/b#z>',
      links: ['http://a.example/b', 'http://a.example/a'],
    },
    {
      rule: 'against base, wherever it stands, the first with an address [LNK02]',
      html: '<a href="x"><base target="_top"><base href="/other/"><base href="/third/"><a href="y">',
      links: ['http://a.example/other/x', 'http://a.example/other/y'],
    },
    {
      rule: 'against a base that is relative itself [LNK01]',
      html: '<base href="../b/"><a href="c">',
      links: ['http://a.example/b/c'],
    },
    {
      rule: 'not against a base in a comment or a script [LNK03]',
      html: '<!-- <base href="https://evil.test/"> --><script>var s="<base href=\\"https://evil.test/\\">"</script><a href="1">',
      links: ['http://a.example/dir/1'],
    },
    {
      rule: 'not against a base in a template, a text area or a title',
      html: '<title><base href=/t/></title><template><base href=/u/></template><textarea><base href=/v/></textarea><a href="1">',
      links: ['http://a.example/dir/1'],
    },
    {
      rule: 'not against a base that is empty',
      html: '<base href=""><base href="/b/"><a href="1">',
      links: ['http://a.example/dir/1'],
    },
    {
      rule: 'a base that is a data URL does not count [LNK04]',
      html: '<base href="data:text/html,hi"><a href="1">',
      links: ['http://a.example/dir/1'],
    },
    {
      rule: 'tabs and line ends amid an address are no part',
      html: '<a href="/a\n\tb"><a href="java\nscript:x()">',
      links: ['http://a.example/ab'],
    },
    {
      rule: 'a base that is no web address does not count',
      html: '<base href="data:text/html,x"><a href="x">',
      links: ['http://a.example/dir/x'],
    },
    {
      rule: 'an address too long for anybody is none',
      html: `<a href="/${'x'.repeat(9_000)}">`,
      links: [],
    },
  ])('$rule', ({ html, links }) => {
    expect(extract(html).links).toEqual(links);
  });

  test('are read in the encoding of the page', () => {
    const body = Buffer.from('<meta charset=windows-1251><a href="/\xef">', 'latin1');
    expect(extract(body, 'text/html').links).toEqual(['http://a.example/%D0%BF']);
  });

  test('end at 10,000, and it is told that they do [LNK21]', () => {
    const html = (count: number) =>
      Array.from({ length: count }, (_, index) => `<a href="/${index}">`).join('');
    expect(extract(html(10_500)).links).toHaveLength(10_000);
    expect(extract(html(10_500)).cut).toBe(true);
    expect(extract(html(60_000)).cut).toBe(true);
    expect(extract(html(10_000)).cut).toBe(false);
  });

  test('are marked where every place says not to follow them', () => {
    const html =
      '<a rel="nofollow noopener" href="/1"><a rel=UGC href="/2"><a rel=sponsored href="/3"><a rel=nofollow href="/4"><a href="/4#x"><a rel=next href="/5">';
    expect(extract(html).nofollowLinks).toEqual([
      'http://a.example/1',
      'http://a.example/2',
      'http://a.example/3',
    ]);
  });

  test('are what a page shows too, where that is asked', () => {
    const html =
      '<img src=/1.png data-src=/2.png srcset="/3.png 2x, /4.png 3x"><picture><source data-srcset=/5.webp></picture><video src=/6.mp4 poster=/7.png></video><script src=/8.js></script><link rel="shortcut icon" href=/9.ico><link rel=stylesheet href=/10.css><input type=image src=/11.png><img src="data:,x">';
    const { links } = extractPage({
      url: URL_OF_PAGE,
      contentType: 'text/html',
      body: Buffer.from(html),
      embeds: true,
    });
    const numbers = links.map((link) => Number(/(\d+)\.\w+$/.exec(link)?.[1]));
    expect(numbers.sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('are found behind a script that XHTML closes by itself [LNK19]', () => {
    const html =
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="s.js"/></head><body><a href="/y">y</a></body></html>';
    expect(extract(html, 'application/xhtml+xml').links).toEqual(['http://a.example/y']);
  });

  test('that lead nowhere are counted by what they are', () => {
    const html =
      '<a href="mailto:a@b"><a href="javascript:x"><a href="http://[x"><a href="http://u:p@b.test/">';
    const { dropped, links } = extract(html);
    expect(links).toEqual(['http://b.test/']);
    expect(dropped).toEqual({ scheme: 2, malformed: 1, userinfo: 1 });
  });

  test('stand in HTML only', () => {
    const html = '<a href="/x">';
    for (const type of ['application/xhtml+xml', 'TEXT/HTML', '']) {
      expect(extract(html, type).links).toHaveLength(1);
    }
    for (const type of ['text/plain', 'application/pdf', 'image/svg+xml', 'text/htmlx']) {
      expect(extract(html, type).links).toEqual([]);
    }
    expect(extract('%PDF-1.7 <a href="/x">', '').links).toEqual([]);
  });
});

describe('what a page says of itself', () => {
  test.each([
    { html: '<title> A\n  page &amp; more </title>', title: 'A page & more' },
    { html: '<title></title><title>Second</title>', title: 'Second' },
    { html: '<title>First</title><title>Second</title>', title: 'First' },
    { html: '<svg><title>Icon</title></svg><title>Page</title>', title: 'Page' },
    { html: '<title>a\0b&#0;c</title>', title: 'ab\ufffdc' },
    { html: '<title>never closed', title: 'never closed' },
    { html: '<p>none</p>', title: undefined },
  ])('title $title', ({ html, title }) => {
    expect(extract(html).title).toBe(title);
  });

  test('a title has at most 500 characters, none of them half of one', () => {
    const { title } = extract(`<title>x${'😀'.repeat(1_000_000)}</title>`);
    expect(title).toHaveLength(500);
    expect(title?.endsWith('\ufffd')).toBe(true);
  });

  test('its words to robots are given as written, those of comments not [ROB22]', () => {
    const html =
      '<!-- <meta name="robots" content="none"> --><META NAME="Robots" CONTENT="noindex"><meta name=decorum content=nofollow>';
    expect(extract(html).robots).toEqual([
      { name: 'Robots', content: 'noindex' },
      { name: 'decorum', content: 'nofollow' },
    ]);
  });

  test('the declared canonical is given by itself and among the links', () => {
    const page = extract('<base href="/b/"><link rel="canonical" href="c?x#y">');
    expect(page.canonical).toBe('http://a.example/b/c?x');
    expect(page.links).toEqual(['http://a.example/b/c?x']);
  });
});

describe('hostile pages', () => {
  test.each([
    {
      kind: 'deep nesting [LNK22] [LNK23]',
      html: `${'<b><div><table>'.repeat(200_000)}<a href="/x">`,
    },
    { kind: 'closing tags for nothing', html: `${'<b></i>'.repeat(300_000)}<a href="/x">` },
    {
      kind: 'very many attributes [LNK24]',
      html: `<p ${Array.from({ length: 300_000 }, (_, index) => `a${index}=1`).join(' ')}><a href="/x">`,
    },
    { kind: 'an endless attribute', html: `<p title="${'&amp;'.repeat(500_000)}"><a href="/x">` },
    { kind: 'half-open comments', html: `${'<!-- --!> <!'.repeat(200_000)}--><a href="/x">` },
    { kind: 'open brackets', html: `${'<'.repeat(2_000_000)}><a href="/x">` },
  ])('cost linear time: $kind', ({ html }) => {
    expect(extract(html).links).toEqual(['http://a.example/x']);
  });

  test.each([
    { kind: 'one text of 5 MB', html: `${'x'.repeat(5_000_000)}<a href="/x">` },
    { kind: 'nothing closed', html: '<div><p><a href="/x"><table><tr><td>'.repeat(50_000) },
    { kind: 'quotes that never end', html: `<a href="/x">${'<a href="'.repeat(100_000)}` },
    { kind: 'a script that never ends', html: `<a href="/x"><script>${'</scrip'.repeat(500_000)}` },
    { kind: 'templates in templates', html: `<a href="/x">${'<template>'.repeat(300_000)}` },
    { kind: 'doctypes', html: `${'<!doctype '.repeat(300_000)}><a href="/x">` },
  ])('cost linear time: $kind', ({ html }) => {
    expect(extract(html).links.slice(0, 1)).toEqual(['http://a.example/x']);
  });

  test('of any kind give bounded answers and no error', () => {
    const piece = fc.oneof(fc.constantFrom(...HTML_PIECES), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.boolean(), (pieces, embeds) => {
        const html = pieces.join('');
        const body = Buffer.from(html);
        const page = extractPage({ url: URL_OF_PAGE, contentType: 'text/html', body, embeds });
        expect(page.links.length).toBeLessThanOrEqual(html.length);
        expect(new Set(page.links).size).toBe(page.links.length);
        for (const link of page.links) expect(parseRequestUrl(link)).toBe(link);
        expect(page.links).toEqual(expect.arrayContaining([...page.nofollowLinks]));
        expect(page.title ?? '').not.toContain('\0');
      }),
      { numRuns: 500 },
    );
  });

  test('give no address of code points that do not exist', () => {
    expect(extract('<a href="/&#x110000;&#xD800;">').links).toEqual([
      'http://a.example/%EF%BF%BD%EF%BF%BD',
    ]);
  });

  test('are read the same way twice', () => {
    const html = '<base href=/b/><a href=x><title>t</title><meta name=robots content=none>';
    expect(extract(html)).toEqual(extract(html));
  });
});

const HTML_PIECES = [
  ...[
    '<a ',
    '<base ',
    '<link ',
    '<meta ',
    '<img ',
    '<iframe ',
    '<template ',
    '</template>',
    '<svg>',
  ],
  ...[
    'href=',
    'src=',
    'srcset=',
    'rel=',
    'content=',
    'http-equiv=refresh ',
    'name=robots ',
    'charset=',
  ],
  ...['"', "'", '>', '/>', '<', '</', '=', ' ', '\n', '&', '&amp;', '&#0;', '&#x110000;', '&copy'],
  ...[
    '/x',
    '../y',
    'http://b.test/',
    '//c.test',
    'mailto:a',
    'nofollow',
    'canonical',
    '0;url=/z',
    '%',
  ],
  ...[
    '<!--',
    '-->',
    '<script>',
    '</script>',
    '<title>',
    '</title>',
    '<![CDATA[',
    ']]>',
    '<!',
    '<?',
    '\0',
  ],
];
