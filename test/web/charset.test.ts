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
      rule: 'the header goes before the page',
      body: Buffer.from('<meta charset="iso-8859-1">café'),
      contentType: 'text/html;charset="UTF-8"',
      text: '<meta charset="iso-8859-1">café',
      charset: 'utf-8',
    },
    {
      rule: 'Latin-1 means windows-1252',
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
      rule: 'a declaration in a comment is none',
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
      rule: 'a label that nobody knows is passed over',
      body: Buffer.from('<meta charset=klingon>é'),
      contentType: 'text/html; charset=none-such',
      text: '<meta charset=klingon>é',
      charset: 'utf-8',
    },
    { rule: 'valid UTF-8 is UTF-8', body: Buffer.from('é'), text: 'é', charset: 'utf-8' },
    {
      rule: 'a cut last character does not count',
      body: Buffer.from('é').subarray(0, 1),
      text: '\ufffd',
      charset: 'utf-8',
    },
    {
      rule: 'anything else is windows-1252',
      body: latin1('\xe9t\xe9'),
      text: 'été',
      charset: 'windows-1252',
    },
    { rule: 'nothing is UTF-8', body: Buffer.alloc(0), text: '', charset: 'utf-8' },
  ])('$rule', ({ body, contentType = 'text/html', text, charset }) => {
    expect(decodeHtml(body, contentType)).toEqual({ text, charset });
  });

  test('a declaration after the first 1024 bytes is none', () => {
    const body = Buffer.from(`${' '.repeat(1_024)}<meta charset=koi8-r>é`);
    expect(decodeHtml(body, 'text/html').charset).toBe('utf-8');
  });
});
