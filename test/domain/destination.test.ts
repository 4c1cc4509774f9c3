import { expect, test } from 'vitest';
import { destinationOf } from '../../domain/destination.ts';

const PUBLIC_ONLY = { allowPrivate: false };

test.each([
  { port: 443, addresses: ['93.184.215.14'], allowed: ['93.184.215.14'] },
  // The rest of a name's addresses are of no account where one is public [SEC04].
  { port: 80, addresses: ['10.0.0.5', '93.184.215.14'], allowed: ['93.184.215.14'] },
  { port: 8080, addresses: ['::1', '2606:2800::1', '127.0.0.1'], allowed: ['2606:2800::1'] },
])('port $port of $addresses may be asked at $allowed', ({ port, addresses, allowed }) => {
  expect(destinationOf(port, addresses, PUBLIC_ONLY)).toEqual({
    kind: 'allowed',
    addresses: allowed,
  });
});

test.each([
  { port: 80, addresses: [], reason: 'addressRefused' },
  { port: 80, addresses: ['127.0.0.1'], reason: 'addressRefused' },
  { port: 80, addresses: ['10.0.0.1', '::ffff:10.0.0.2'], reason: 'addressRefused' },
  { port: 22, addresses: ['93.184.215.14'], reason: 'portRefused' },
])('port $port of $addresses is refused: $reason', ({ port, addresses, reason }) => {
  expect(destinationOf(port, addresses, PUBLIC_ONLY)).toMatchObject({ kind: 'refused', reason });
});
