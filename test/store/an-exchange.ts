import type { ArchivedExchange } from '../../store/warc-store.ts';

/** A small plain page, but for what the test says otherwise. */
export function anExchange(parts: Partial<ArchivedExchange> = {}): ArchivedExchange {
  return {
    crawl: 'default',
    url: 'http://a.test/page?x=1',
    fetchedAt: new Date('2026-01-02T03:04:05.678Z'),
    remoteAddress: '127.0.0.1',
    requestHeaders: [
      ['Host', 'a.test'],
      ['User-Agent', 'Decorum/0.1 (+https://bot.test/)'],
    ],
    status: 200,
    statusText: 'OK',
    httpVersion: 'HTTP/1.1',
    headers: [['Content-Type', 'text/html']],
    rawBody: Buffer.from('<p>Hello</p>'),
    truncated: false,
    ...parts,
  };
}
