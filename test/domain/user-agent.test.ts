import { describe, expect, test } from 'vitest';
import { productTokenOf } from '../../domain/robots.ts';
import { needsContact, userAgentOf } from '../../domain/user-agent.ts';
import { requestUrl } from './request-url-of.ts';

describe('userAgentOf', () => {
  const contact = 'https://you.example/bot';

  test.each([
    {
      rule: 'names us and the contact [OPS08]',
      name: { contact },
      userAgent: 'Decorum/0.1 (+https://you.example/bot)',
    },
    { rule: 'names us alone on one’s own machine', name: {}, userAgent: 'Decorum/0.1' },
    {
      rule: 'adds the contact to a name of one’s own',
      name: { contact, userAgent: 'Ours/2' },
      userAgent: 'Ours/2 (+https://you.example/bot)',
    },
    {
      rule: 'adds it once',
      name: { contact, userAgent: `Ours/2 (${contact})` },
      userAgent: `Ours/2 (${contact})`,
    },
  ])('$rule', ({ name, userAgent }) => {
    expect(userAgentOf({ ...name, version: '0.1' })).toBe(userAgent);
  });

  test('carries the token that robots.txt is read by [OPS08]', () => {
    expect(productTokenOf(userAgentOf({ contact, version: '0.1' }))).toBe('Decorum');
  });
});

describe('needsContact', () => {
  test.each([
    { seeds: ['https://example.com/'], allowPrivate: false, needed: true },
    { seeds: ['https://example.com/'], allowPrivate: true, needed: true },
    {
      seeds: ['http://localhost:8080/', 'http://127.0.0.1/', 'http://[::1]/'],
      allowPrivate: false,
      needed: false,
    },
    { seeds: ['http://a.localhost/', 'https://example.com/'], allowPrivate: true, needed: true },
    { seeds: ['http://192.168.1.5/'], allowPrivate: false, needed: true },
    { seeds: ['http://192.168.1.5/', 'http://localhost/'], allowPrivate: true, needed: false },
  ])('$seeds, private allowed $allowPrivate: $needed', ({ seeds, allowPrivate, needed }) => {
    expect(needsContact(seeds.map(requestUrl), allowPrivate)).toBe(needed);
  });
});
