import { openServers } from '../../workers/open-servers.ts';

// A client in a process of its own, for tests that kill one: opens the database of the folder it is given, says so,
// and holds it.

const servers = await openServers({
  dataDir: process.argv[2] ?? '',
  need: 'database',
  say: () => undefined,
});
process.stdout.write(`${JSON.stringify(servers.ownPids())}\n`);
