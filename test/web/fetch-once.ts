import { asRequestUrl } from '../../domain/request-url.ts';
import { fetchUrl } from '../../web/fetch-url.ts';

// A process of its own, since what Node trusts is fixed at its start: prints what each URL gave, asked at 127.0.0.1.
const outcomes = [];
for (const url of process.argv.slice(2)) {
  const { outcome, answer } = await fetchUrl({
    url: asRequestUrl(url),
    userAgent: 'DecorumTest/1.0 (+https://example.com/bot)',
    addresses: ['127.0.0.1'],
    allowPrivate: true,
    connectTimeoutMs: 20_000,
    pageTimeoutMs: 30_000,
    maxBodyBytes: 5_000_000,
    signal: new AbortController().signal,
  });
  outcomes.push({ outcome, body: answer?.body.toString(), from: answer?.remoteAddress });
}
process.stdout.write(JSON.stringify(outcomes));
