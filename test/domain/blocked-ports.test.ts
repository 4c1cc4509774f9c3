import { expect, test } from 'vitest';
import { isBlockedPort, portOf } from '../../domain/blocked-ports.ts';

test.each([0, 1, 22, 25, 110, 143, 465, 587, 993, 2049, 3659, 4190, 6000, 6566, 6667, 6697, 10080])(
  'port %s is no web server’s',
  (port) => {
    expect(isBlockedPort(port)).toBe(true);
  },
);

test.each([80, 443, 81, 3000, 5000, 6379, 8000, 8080, 8443, 9200, 11211, 65_535])(
  'port %s may be asked',
  (port) => {
    expect(isBlockedPort(port)).toBe(false);
  },
);

test.each([
  { url: 'http://a.example/', port: 80 },
  { url: 'https://a.example/', port: 443 },
  { url: 'http://a.example:443/', port: 443 },
  { url: 'https://[::1]:22/', port: 22 },
  { url: 'http://a.example:0/', port: 0 },
])('$url leads to port $port', ({ url, port }) => {
  expect(portOf(url)).toBe(port);
});
