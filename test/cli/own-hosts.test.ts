import { expect, test } from 'vitest';
import { ownershipOf } from '../../cli/settings/own-hosts.ts';
import type { Ownership } from '../../cli/settings/own-hosts.ts';
import { asRequestUrl } from '../../domain/request-url.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'a.test': ['127.0.0.1'],
  'six.test': ['::1', 'fd00::1'],
  'lan.test': ['10.0.0.5'],
  'mixed.test': ['127.0.0.1', '93.184.216.34'],
  'away.test': ['93.184.216.34'],
  'empty.test': [],
};

const ask = (name: string): Promise<readonly string[]> => {
  const addresses = NAMES[name];
  return addresses === undefined
    ? Promise.reject(new Error('ENOTFOUND'))
    : Promise.resolve(addresses);
};

test.each<[seeds: string, whose: Ownership]>([
  ['', 'none'],
  ['http://localhost:8080/', 'loopback'],
  ['http://127.0.0.1/ http://[::1]/ http://x.localhost/', 'loopback'],
  ['http://192.168.1.1/', 'private'],
  ['http://localhost/ http://10.1.2.3/', 'private'],
  ['http://a.test/ http://six.test/ http://lan.test/', 'private'],
  ['http://93.184.216.34/', 'public'],
  ['http://localhost/ http://away.test/', 'public'],
  ['http://mixed.test/', 'public'],
  ['http://empty.test/', 'public'],
  ['http://unknown.test/', 'public'],
])('the seeds "%s" are %s', async (seeds, whose) => {
  const urls = seeds.split(' ').filter(Boolean).map(asRequestUrl);

  expect(await ownershipOf(urls, ask)).toBe(whose);
});

test("without a look at the DNS a name is somebody else's", async () => {
  expect(await ownershipOf([asRequestUrl('http://a.test/')], undefined)).toBe('public');
});
