import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressRefusal,
  isLoopbackHost,
  isPrivateHost,
  parseAddressRange,
} from '../../domain/address-rules.ts';
import { asHostKey } from '../../domain/host-key.ts';

const PUBLIC_ONLY = { allowPrivate: false };
const PRIVATE_TOO = { allowPrivate: true };

describe('addressRefusal', () => {
  test.each([
    '93.184.215.14',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ])('%s is public', (address) => {
    expect(addressRefusal(address, PUBLIC_ONLY)).toBeUndefined();
  });

  test.each([
    { address: '127.0.0.1', why: 'loopback' },
    { address: '127.255.255.254', why: 'loopback' },
    { address: '::1', why: 'loopback' },
    { address: '10.1.2.3', why: 'private' },
    { address: '172.16.0.1', why: 'private' },
    { address: '192.168.1.1', why: 'private' },
    { address: 'fd12:3456::1', why: 'private' },
    { address: '169.254.1.1', why: 'link-local' },
    { address: 'fe80::1', why: 'link-local' },
    { address: 'fe80::1%eth0', why: 'link-local' },
    { address: '100.64.0.1', why: 'carrier-grade NAT' },
    { address: '::ffff:10.0.0.1', why: 'private' },
    { address: '::ffff:7f00:1', why: 'loopback' },
    { address: '::ffff:0:127.0.0.1', why: 'loopback' },
    { address: '::127.0.0.1', why: 'loopback' },
    { address: '64:ff9b::7f00:1', why: 'loopback' },
    { address: '2002:c0a8:101::1', why: 'private' },
  ])('$address is refused as $why, unless allowed', ({ address, why }) => {
    expect(addressRefusal(address, PUBLIC_ONLY)).toContain(why);
    expect(addressRefusal(address, PRIVATE_TOO)).toBeUndefined();
  });

  test.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    'fd00:ec2::254',
    'fd00:ec2::254%eth0',
    '::5',
    '::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00:808:808',
    '100.100.100.200',
    '0.0.0.0',
    '0.1.2.3',
    '::',
    '::ffff:0.0.0.0',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '2001:db8::1',
    '2001::1',
    '64:ff9b:1::7f00:1',
    'fec0::1',
    '100::1',
    '192.0.0.192',
    '192.88.99.1',
    '198.51.100.7',
    '203.0.113.7',
    '239.255.255.250',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
    '169.254.170.23',
    '2002:e000:1::',
    '3fff::1',
    '4000::1',
    '8000::1',
    '64:ff9b:2::1',
  ])('%s is refused whatever is allowed', (address) => {
    expect(addressRefusal(address, PUBLIC_ONLY)).toBeDefined();
    expect(addressRefusal(address, PRIVATE_TOO)).toBeDefined();
  });

  test('an IPv4 address is judged alike however IPv6 wraps it', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const isRefused = (text: string): boolean =>
          addressRefusal(text, PUBLIC_ONLY) !== undefined;

        expect(isRefused(`::ffff:${address}`)).toBe(isRefused(address));
        expect(isRefused(`64:ff9b::${address}`)).toBe(isRefused(address));
      }),
    );
  });

  test.each([
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '010.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '1.2.3.4/32',
  ])('%s is no spelling of an address: a socket would look it up as a name', (text) => {
    expect(addressRefusal(text, PRIVATE_TOO)).toContain('no IP address');
  });

  test('what is no address is refused, and nothing throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(addressRefusal(`x${text}`, PRIVATE_TOO)).toContain('no IP address');
      }),
    );
  });
});

describe('a range that is allowed', () => {
  test.each([
    { range: '10.0.0.0/8', address: '10.255.0.1' },
    { range: '10.0.0.0/8', address: '::ffff:10.0.0.1' },
    { range: '10.0.0.0/8', address: '64:ff9b::10.0.0.1' },
    { range: '127.0.0.2/32', address: '127.0.0.2' },
    { range: 'fd00::/8', address: 'fd12::1' },
    { range: '198.18.0.0/15', address: '198.19.255.255' },
    { range: '2001:db8::/32', address: '2001:db8::5' },
  ])('$range has $address in it', ({ range, address }) => {
    expect(addressRefusal(address, PUBLIC_ONLY)).toBeDefined();
    expect(addressRefusal(address, { ...PUBLIC_ONLY, allowedRanges: [range] })).toBeUndefined();
  });

  test.each([
    { range: '10.0.0.0/8', address: '11.0.0.1', refused: false },
    { range: '10.0.0.0/8', address: '192.168.0.1', refused: true },
    { range: '10.0.0.0/8', address: 'fd00::1', refused: true },
    { range: '127.0.0.2/32', address: '127.0.0.3', refused: true },
    { range: '0.0.0.0/0', address: '169.254.169.254', refused: true },
    { range: '0.0.0.0/0', address: '224.0.0.1', refused: true },
    { range: '0.0.0.0/0', address: '255.255.255.255', refused: true },
    { range: '0.0.0.0/0', address: '0.0.0.0', refused: true },
    { range: '::/0', address: '::', refused: true },
    { range: '::/0', address: '::1', refused: false },
    { range: '::/0', address: '::ffff:127.0.0.1', refused: true },
    { range: '::/0', address: 'fd00:ec2::254', refused: true },
  ])('$range leaves $address refused: $refused', ({ range, address, refused }) => {
    const refusal = addressRefusal(address, { ...PUBLIC_ONLY, allowedRanges: [range] });

    expect(refusal !== undefined).toBe(refused);
  });

  test.each([
    { text: '10.0.0.0/8', range: '10.0.0.0/8' },
    { text: ' 10.1.2.3/8 ', range: '10.0.0.0/8' },
    { text: '10.1.2.3', range: '10.1.2.3/32' },
    { text: 'FD00::1/8', range: 'fd00::/8' },
    { text: '::1', range: '::1/128' },
    { text: '0.0.0.0/0', range: '0.0.0.0/0' },
    { text: '10.0.0.0/33', range: undefined },
    { text: '::/129', range: undefined },
    { text: '10.0.0.0/', range: undefined },
    { text: '10.0.0.0/-1', range: undefined },
    { text: '10.0/8', range: undefined },
    { text: 'fe80::1%eth0', range: undefined },
    { text: 'localhost', range: undefined },
    { text: '', range: undefined },
  ])('"$text" is read as $range', ({ text, range }) => {
    expect(parseAddressRange(text)).toBe(range);
  });

  test('is written so that it is read the same again', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(address, fc.nat(140), (first, bits) => {
        const range = parseAddressRange(`${first}/${bits}`);
        if (range !== undefined) expect(parseAddressRange(range)).toBe(range);
      }),
    );
  });
});

describe('one’s own hosts', () => {
  test.each([
    { host: 'localhost', own: true, here: true },
    { host: 'shop.localhost', own: true, here: true },
    { host: '127.0.0.1', own: true, here: true },
    { host: '[::1]', own: true, here: true },
    { host: '[::ffff:7f00:1]', own: true, here: true },
    { host: '192.168.0.9', own: true, here: false },
    { host: '[fd00::9]', own: true, here: false },
    { host: '100.64.1.1', own: true, here: false },
    { host: '93.184.215.14', own: false, here: false },
    { host: '169.254.169.254', own: false, here: false },
    { host: 'localhost.example', own: false, here: false },
    { host: 'notlocalhost', own: false, here: false },
    { host: '10.example', own: false, here: false },
  ])('$host: private $own, this machine $here', ({ host, own, here }) => {
    expect(isPrivateHost(asHostKey(host))).toBe(own);
    expect(isLoopbackHost(asHostKey(host))).toBe(here);
  });
});
