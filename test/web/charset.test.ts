import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHtml } from '../../web/charset.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('the encoding of a page', () => {
  test.each([
    {
      rule: 'a byte order mark goes before the header',
      body: Buffer.from('\ufeffcafé'),
      contentType: 'text/html; charset=iso-8859-1',
      text: 'café',
      charset: 'utf-8',
    },
    {
      rule: 'UTF-16 is known by its byte order mark',
      body: Buffer.from('\ufeffcafé', 'utf16le'),
      text: 'café',
      charset: 'utf-16le',
    },
    {
      rule: 'the header goes before the page [CHR02]',
      body: Buffer.from('<meta charset="iso-8859-1">café'),
      contentType: 'text/html;charset="UTF-8"',
      text: '<meta charset="iso-8859-1">café',
      charset: 'utf-8',
    },
    {
      rule: 'Latin-1 means windows-1252 [CHR05]',
      body: latin1('\x80'),
      contentType: 'text/html; charset=ISO-8859-1',
      text: '€',
      charset: 'windows-1252',
    },
    {
      rule: 'meta charset',
      body: Buffer.concat([
        latin1('<meta charset=shift_jis>'),
        Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      ]),
      text: '<meta charset=shift_jis>日本',
      charset: 'shift_jis',
    },
    {
      rule: 'meta http-equiv',
      body: latin1('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\xcd'),
      text: '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">м',
      charset: 'koi8-r',
    },
    {
      rule: 'an XML declaration',
      body: latin1('<?xml version="1.0" encoding="iso-8859-2"?>\xb1'),
      text: '<?xml version="1.0" encoding="iso-8859-2"?>ą',
      charset: 'iso-8859-2',
    },
    {
      rule: 'a declaration in a comment is none [CHR04]',
      body: Buffer.from('<!-- <meta charset=koi8-r> -->é'),
      text: '<!-- <meta charset=koi8-r> -->é',
      charset: 'utf-8',
    },
    {
      rule: 'a declaration of UTF-16 that bytes belie means UTF-8',
      body: Buffer.from('<meta charset=utf-16>é'),
      text: '<meta charset=utf-16>é',
      charset: 'utf-8',
    },
    {
      rule: 'a label that nobody knows is passed over [CHR08]',
      body: Buffer.from('<meta charset=klingon>é'),
      contentType: 'text/html; charset=none-such',
      text: '<meta charset=klingon>é',
      charset: 'utf-8',
    },
    {
      rule: 'a description that speaks of an encoding declares none',
      body: Buffer.from('<meta name=description content="charset=koi8-r">é'),
      text: '<meta name=description content="charset=koi8-r">é',
      charset: 'utf-8',
    },
    {
      rule: 'after a label that nobody knows comes the next',
      body: latin1('<meta charset=klingon><meta charset=koi8-r>\xcd'),
      text: '<meta charset=klingon><meta charset=koi8-r>м',
      charset: 'koi8-r',
    },
    {
      rule: 'an encoding of the page’s own means windows-1252',
      body: latin1('<meta charset=x-user-defined>\x80'),
      text: '<meta charset=x-user-defined>€',
      charset: 'windows-1252',
    },
    {
      rule: 'two semicolons part a type and its parameter like one [CHR07]',
      body: Buffer.from('ü'),
      contentType: 'text/html;;charset=UTF-8',
      text: 'ü',
      charset: 'utf-8',
    },
    {
      rule: 'content may stand before http-equiv [CHR03]',
      body: latin1(
        '<meta content="text/html; charset=windows-1251" http-equiv="Content-Type">\xd0',
      ),
      text: '<meta content="text/html; charset=windows-1251" http-equiv="Content-Type">Р',
      charset: 'windows-1251',
    },
    {
      rule: 'x-sjis means Shift_JIS [CHR11]',
      body: Buffer.from([0x95, 0x5c, 0x8e, 0xa6]),
      contentType: 'text/html; charset=x-sjis',
      text: '表示',
      charset: 'shift_jis',
    },
    {
      rule: 'ks_c_5601-1987 means EUC-KR [CHR12]',
      body: Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]),
      contentType: 'text/html; charset=ks_c_5601-1987',
      text: '한글',
      charset: 'euc-kr',
    },
    {
      rule: 'ISO-8859-16 is known though Node knows it not [CHR13]',
      body: latin1('\xfear\xe3'),
      contentType: 'text/html; charset=iso-8859-16',
      text: 'țară',
      charset: 'iso-8859-16',
    },
    { rule: 'valid UTF-8 is UTF-8 [CHR18]', body: Buffer.from('é'), text: 'é', charset: 'utf-8' },
    {
      rule: 'a cut last character does not count',
      body: Buffer.from('é').subarray(0, 1),
      text: '\ufffd',
      charset: 'utf-8',
    },
    {
      rule: 'anything else is windows-1252 [CHR17]',
      body: latin1('\xe9t\xe9'),
      text: 'été',
      charset: 'windows-1252',
    },
    { rule: 'nothing is UTF-8', body: Buffer.alloc(0), text: '', charset: 'utf-8' },
  ])('$rule', ({ body, contentType = 'text/html', text, charset }) => {
    expect(decodeHtml(body, contentType)).toEqual({ text, charset });
  });

  test('a declaration after the first 1024 bytes counts only where the page is no UTF-8', () => {
    const late = `${' '.repeat(1_024)}<meta charset=koi8-r>`;
    expect(decodeHtml(Buffer.from(`${late}é`), 'text/html').charset).toBe('utf-8');
    expect(decodeHtml(latin1(`${late}\xcd.`), 'text/html').charset).toBe('koi8-r');
  });

  test('a character that came in two pieces is one, since a body is read whole [CHR20]', () => {
    const pieces = [
      Buffer.from('<title>\xe2\x82', 'latin1'),
      Buffer.from('\xac</title>', 'latin1'),
    ];
    expect(decodeHtml(Buffer.concat(pieces), 'text/html; charset=utf-8').text).toBe(
      '<title>€</title>',
    );
  });

  test('no label makes it throw', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ maxLength: 200 }), (label, body) => {
        const inside = Buffer.concat([Buffer.from(`<meta charset="${label}">`), body]);
        for (const type of [`text/html; charset=${label}`, `text/html;charset="${label}`, label]) {
          expect(typeof decodeHtml(inside, type).text).toBe('string');
        }
      }),
    );
  });

  test.each([
    ['text/html; charset=utf8', 'utf-8'],
    ['text/html; charset="gb2312"', 'gbk'],
    ['text/html; charset=ISO_8859-1:1987', 'windows-1252'],
    ['text/html; charset=ascii', 'windows-1252'],
    ['text/html; charset=TIS-620', 'windows-874'],
    ['text/html; charset=big5-hkscs', 'big5'],
    ['text/html; charset=unicode', 'utf-16le'],
    ['text/html; charset=x-euc-jp', 'euc-jp'],
    ['text/html; charset=iso-8859-8-i', 'iso-8859-8-i'],
    ['text/html; charset=macintosh', 'macintosh'],
    ['text/html; charset= utf-8 ', 'utf-8'],
    ['text/html; a="charset=koi8-r"; charset=utf-8', 'utf-8'],
    ["text/html; charset='utf-8'", 'utf-8'],
    ['text/html; charset=utf-8; charset=koi8-r', 'utf-8'],
    ['text/html, text/html; charset=koi8-r', 'koi8-r'],
  ])('%s is read as %s', (contentType, charset) => {
    expect(decodeHtml(latin1('\xe4\xe5'), contentType).charset).toBe(charset);
  });

  test('each single byte of ISO-8859-16 is the letter of its table', () => {
    const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const { text } = decodeHtml(body, 'text/html; charset=iso-8859-16');
    expect(text).toHaveLength(256);
    expect(text.slice(0, 0xa0)).toBe(Buffer.from(body.subarray(0, 0xa0)).toString('latin1'));
    expect(text.slice(0xa0)).toMatch(/^\u00a0ĄąŁ€„Š§š©Ș«.*ńòóôőöśűùúûüęțÿ$/u);
  });
});
