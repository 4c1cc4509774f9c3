import fc from 'fast-check';

/** Any text: noise, honest URLs, and URLs put together from the parts that parsers stumble over. */
export function hostileUrl(): fc.Arbitrary<string> {
  const path = fc
    .array(fc.constantFrom(...PIECES), { maxLength: 12 })
    .map((parts) => parts.join(''));
  const host = fc.oneof(fc.constantFrom(...HOSTS), fc.domain());
  const assembled = fc
    .tuple(fc.constantFrom('http://', 'https://', 'HTTP:\\\\', '//', 'https:'), host, path)
    .map(([scheme, name, rest]) => `${scheme}${name}/${rest}`);
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    assembled,
    path,
  );
}

const HOSTS = [
  'a.test',
  'A.TEST.',
  'ann:s3cret@a.test',
  '127.1',
  '0x7f000001',
  '[::1]',
  '[fe80::1%25eth0]',
  'xn--a',
  'bücher.example',
  'ex\u00adample.com',
  'a_b.test',
  '%zz',
  'a b',
  'a.test:0',
  'a.test:65536',
  '',
];

const PIECES = [
  ...[
    '/',
    '//',
    '/./',
    '/../',
    '/%2e%2E/',
    '\\',
    ';',
    ';jsessionid=1',
    ';sid=',
    '/(S(x))/',
    '(S(x))',
  ],
  ...['?', '&', '=', '&&', '?a=1', '&a=1', '&a', '&b=', '&PHPSESSID=1', '&sid=0a1b2c3d4e5f60718'],
  ...['&utm_source=x', '&%75tm_x=1', '&cfid=1', ';cftoken=2', '&[x]=1', '&__proto__=1', '+', '.'],
  ...[
    '%',
    '%2',
    '%zz',
    '%41',
    '%2f',
    '%25',
    '%C3%BC',
    '%E9',
    'ü',
    '\ud800',
    '😀',
    '\0',
    '\t',
    '\n',
  ],
  ...['#', '@', ':', '"', "'", '<', '|', '^', '`', '{', 'x', 'Z', '9', ' '],
];
