import { expect, test } from 'vitest';
import { openResolvers } from '../../workers/resolvers.ts';
import { nameServer } from '../web/name-server.ts';

test('there is one cache a list of name servers, and its hit rate is logged', async () => {
  const server = await nameServer(() => ({ kind: 'records', addresses: ['192.0.2.1'] }));
  const logged: object[] = [];
  const log = {
    info: (fields: object) => logged.push(fields),
    warn: () => undefined,
    debug: () => undefined,
  };
  const { resolverFor, close } = openResolvers(log);

  for (const name of ['a.example', 'b.example', 'a.example', 'a.example']) {
    await resolverFor([server.address]).resolve(name);
  }
  close();

  expect(logged).toEqual([{ servers: server.address, hits: 2, misses: 2, names: 2, hitRate: 0.5 }]);
});
