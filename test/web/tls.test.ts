import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../workers/package-root.ts';
import { fetchFrom, requestUrl } from './loopback.ts';

const FIXTURES = join(packageRoot(), 'test', 'fixtures', 'tls');

interface SecureHost {
  readonly port: number;
  readonly names: readonly unknown[];
  readonly heads: readonly string[];
}

describe('a certificate', () => {
  test('that is right is taken, and its host is asked by its name, at the address that was checked [DNS06]', async () => {
    const host = await secureHost('a.test.pem');

    const [came] = await trusting([`https://a.test:${host.port}/`]);

    expect(came).toMatchObject({ outcome: { kind: 'fetched', status: 200 }, from: '127.0.0.1' });
    expect(host.names).toEqual(['a.test']);
    expect(host.heads[0]).toContain(`\r\nhost: a.test:${host.port}\r\n`);
  });

  test('names its host without the dot of the root, and so does the handshake [DNS05]', async () => {
    const host = await secureHost('a.test.pem');

    const [came] = await trusting([`https://a.test.:${host.port}/`]);

    expect(came?.outcome).toEqual({ kind: 'fetched', status: 200 });
    expect(host.names).toEqual(['a.test']);
  });

  test('that can’t be trusted fails the fetch, says why, and nothing is sent [DNS04]', async () => {
    const expired = await secureHost('expired.pem');
    const other = await secureHost('a.test.pem');
    const selfSigned = await secureHost('self-signed.pem');

    const came = await trusting([
      `https://a.test:${expired.port}/`,
      `https://b.test:${other.port}/`,
      `https://127.0.0.1:${other.port}/`,
      `https://a.test:${selfSigned.port}/`,
    ]);

    const failed = (detail: string) => ({ kind: 'failed', reason: 'tlsFailed', detail });
    expect(came.map(({ outcome }) => outcome)).toEqual([
      failed('the certificate has expired'),
      failed('the certificate is for another host'),
      failed('the certificate is for another host'),
      failed('the certificate is self-signed'),
    ]);
    expect([expired, other, selfSigned].flatMap(({ heads }) => heads)).toEqual([]);
  });

  test('by an authority that nobody knows is told from one that is self-signed', async () => {
    const host = await secureHost('a.test.pem');

    const { outcome } = await fetchFrom(
      { url: requestUrl(`https://a.test:${host.port}/`) },
      { addresses: ['127.0.0.1'] },
    );

    expect(outcome).toMatchObject({
      reason: 'tlsFailed',
      detail: 'the certificate is by an unknown authority',
    });
  });

  test.each(['expired.pem', 'self-signed.pem', 'a.test.pem'])(
    'is not looked at where the crawl says so: %s',
    async (certificate) => {
      const host = await secureHost(certificate);

      const { outcome, answer } = await fetchFrom(
        { url: requestUrl(`https://b.test:${host.port}/`) },
        { addresses: ['127.0.0.1'], lenientTls: true },
      );

      expect(outcome).toEqual({ kind: 'fetched', status: 200 });
      expect(answer?.body.toString()).toBe('secret');
    },
  );
});

test('a handshake that finds no protocol in common says so', async () => {
  const host = await secureHost('a.test.pem', 'TLSv1.1');

  const { outcome } = await fetchFrom(
    { url: requestUrl(`https://a.test:${host.port}/`) },
    { addresses: ['127.0.0.1'] },
  );

  expect(outcome).toMatchObject({ kind: 'failed', reason: 'tlsFailed' });
  expect(outcome).toHaveProperty('detail', expect.not.stringMatching(/error:|\n/));
});

async function secureHost(
  certificate: string,
  maxVersion: 'TLSv1.1' | 'TLSv1.3' = 'TLSv1.3',
): Promise<SecureHost> {
  const names: unknown[] = [];
  const heads: string[] = [];
  const server = createServer(
    {
      key: readFileSync(join(FIXTURES, 'host.key')),
      cert: readFileSync(join(FIXTURES, certificate)),
      maxVersion,
      minVersion: 'TLSv1',
    },
    (socket) => {
      names.push('servername' in socket ? socket.servername : undefined);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        heads.push(chunk.toString('latin1'));
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
      });
    },
  );
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, names, heads };
}

interface Came {
  readonly outcome: object;
  readonly from?: string;
}

/** Fetches in a process that trusts the authority of the fixtures. */
async function trusting(urls: readonly string[]): Promise<readonly Came[]> {
  const script = join(packageRoot(), 'test', 'web', 'fetch-once.ts');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', script, ...urls],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: join(FIXTURES, 'authority.pem') } },
  );
  return JSON.parse(stdout) as readonly Came[];
}
