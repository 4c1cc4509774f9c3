import { describe, expect, test } from 'vitest';
import { responseHead } from '../../store/http-block.ts';
import type { HeaderLines } from '../../store/warc-store.ts';
import { anExchange } from './an-exchange.ts';

const linesOf = (headers: HeaderLines, parts = {}) =>
  responseHead(anExchange({ headers, rawBody: Buffer.alloc(12), ...parts }))
    .toString('latin1')
    .split('\r\n');

describe('the stored head', () => {
  test.each<{ rule: string; headers: HeaderLines; status?: number; stored: readonly string[] }>([
    {
      rule: 'keeps a true Content-Length',
      headers: [['content-length', '12']],
      stored: ['content-length: 12'],
    },
    {
      rule: 'replaces an untrue Content-Length',
      headers: [['Content-Length', '99']],
      stored: ['X-Archive-Orig-Content-Length: 99', 'Content-Length: 12'],
    },
    {
      rule: 'settles a quarrel of two lengths',
      headers: [
        ['Content-Length', '12'],
        ['Content-Length', '0'],
      ],
      stored: [
        'X-Archive-Orig-Content-Length: 12',
        'X-Archive-Orig-Content-Length: 0',
        'Content-Length: 12',
      ],
    },
    {
      rule: 'takes the chunk framing out of force',
      headers: [['Transfer-Encoding', 'chunked']],
      stored: ['X-Archive-Orig-Transfer-Encoding: chunked', 'Content-Length: 12'],
    },
    {
      rule: 'gives a 304 no length',
      status: 304,
      headers: [['Content-Length', '99']],
      stored: ['X-Archive-Orig-Content-Length: 99'],
    },
  ])('$rule', ({ headers, status = 200, stored }) => {
    expect(linesOf(headers, { status }).slice(1)).toEqual([...stored, '', '']);
  });

  test('lets nothing smuggle a line in', () => {
    const lines = linesOf(
      [
        ['X-A', 'one\r\nSet-Cookie: two\r\n\r\n<html>\0'],
        ['X-B: three\r\nX-C', 'four'],
        ['', 'five'],
      ],
      { statusText: 'Fine\r\nX-D: six', httpVersion: '9\r\n' },
    );

    expect(lines).toEqual([
      'HTTP/1.1 200 Fine X-D: six',
      'X-A: one Set-Cookie: two <html>',
      'X-B__three__X-C: four',
      '_: five',
      'Content-Length: 12',
      '',
      '',
    ]);
  });

  test('keeps repeated names, empty values and foreign bytes as they came', () => {
    const headers: HeaderLines = [
      ['Set-Cookie', 'a=1,,,b'],
      ['set-cookie', ''],
      ['WARC-Type', 'x'],
      ['WARC-Type', 'y'],
      ['X-Latin1', 'gr\u00f6\u00dfe'],
    ];

    expect(linesOf(headers).slice(1, 6)).toEqual([
      'Set-Cookie: a=1,,,b',
      'set-cookie: ',
      'WARC-Type: x',
      'WARC-Type: y',
      'X-Latin1: gr\u00f6\u00dfe',
    ]);
  });

  test('writes text beyond one byte a character as UTF-8', () => {
    const head = responseHead(anExchange({ headers: [['X-Text', 'κόσμε']] }));

    expect(head.toString('utf8')).toContain('X-Text: κόσμε\r\n');
  });
});
