import { describe, expect, test } from 'vitest';
import { exportWriter } from '../../cli/commands/export-format.ts';
import type { ExportedFetch } from '../../db/export.ts';

const FETCH: ExportedFetch = {
  url: 'http://a.test/',
  key: 'http://a.test/',
  kind: 'page',
  status: 200,
  outcome: 'fetched',
  reason: null,
  fetchedAt: '2026-08-01T12:00:00.000Z',
  fetchMs: 12,
  digest: 'sha1:X',
  depth: 0,
  foundOn: null,
  contentType: 'text/html',
  bodyBytes: 5,
  truncated: false,
  links: 2,
  title: 'A',
  noindex: true,
  location: null,
  warcFile: 'a.warc.gz',
  warcOffset: 0,
  warcLength: 10,
};

const NAMES =
  'url,key,kind,status,outcome,reason,fetchedAt,fetchMs,digest,depth,foundOn,contentType,bodyBytes,truncated,links,title,noindex,location,warcFile,warcOffset,warcLength';

describe('JSONL', () => {
  const { head, textOf } = exportWriter('jsonl');

  test('has one object a line, with every field and the very text', () => {
    const title = '=HYPERLINK("x")\nline, "quoted"\u2028';
    const text = textOf([FETCH, { ...FETCH, title }]);

    const lines = text.split('\n');
    expect(head).toBe('');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0] ?? '')).toEqual(FETCH);
    expect(Object.keys(JSON.parse(lines[1] ?? '') as object).join(',')).toBe(NAMES);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ title });
  });
});

describe('CSV (RFC 4180)', () => {
  const { head, textOf } = exportWriter('csv');

  test('has a header line, and a line a record with an empty cell for nothing', () => {
    expect(head).toBe(`${NAMES}\r\n`);
    expect(textOf([FETCH])).toBe(
      'http://a.test/,http://a.test/,page,200,fetched,,2026-08-01T12:00:00.000Z,12,sha1:X,0,,text/html,5,false,2,A,true,,a.warc.gz,0,10\r\n',
    );
  });

  test('commas, quotes and line ends are quoted', () => {
    expect(textOf([{ ...FETCH, title: 'a, "b"\r\nc' }])).toContain(',"a, ""b""\r\nc",');
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
    'a spreadsheet runs no title such as %j',
    (title) => {
      expect(textOf([{ ...FETCH, title }])).toMatch(/,"?'[=+\-@\t\r]/);
    },
  );

  test('numbers are no formulas', () => {
    expect(textOf([FETCH])).not.toContain("'");
  });
});
