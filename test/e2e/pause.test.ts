import { Client, Connection } from '@temporalio/client';
import { expect } from 'vitest';
import { hostWorkflowId } from '../../workflows/ids.ts';
import type { HostView } from '../../workflows/messages.ts';
import { goodWeb, type TestWeb } from '../support/test-web.ts';
import { killAll, processTreeOf } from './support/process-tree.ts';
import { test, type Scene } from './support/scene.ts';
import { eventually } from './support/eventually.ts';

const HOSTS = 6;
/** Fewer than hosts, so that no slot is free while every visit waits for an answer. */
const VISITS_AT_ONCE = 4;
const LAW = { minGapMs: 200, gapFactor: 1 } as const;

test(
  'a paused host is asked nothing more, also after a kill, until it is resumed',
  { timeout: 420_000 },
  async ({ scene }) => {
    const { folder } = scene;
    scene.set({ DECORUM_VISITS_AT_ONCE: String(VISITS_AT_ONCE) });
    const web = await scene.serve(goodWeb({ hosts: HOSTS, pages: 30 }));
    const hosts = Array.from({ length: HOSTS }, (_, index) => `h${String(index)}.test`);
    const asked = countRequests(web);
    const first = scene.crawl(
      web,
      hosts.map((host) => web.url(host)),
      ...['--visit-pages', '20', '--min-gap', '200ms', '--gap-factor', '1'],
      ...['--page-timeout', '60s'],
    );
    await eventually('a few pages of every host', () => hosts.every((host) => asked(host) > 3));

    const answers = new Map(hosts.map((host) => [host, web.hold(host)]));
    const inFlight = () => hosts.filter((host) => (answers.get(host)?.heldCount() ?? 0) > 0);
    await eventually('every slot to be taken', () => inFlight().length === VISITS_AT_ONCE);
    const [ours = '', bare = ''] = inFlight();
    const askedBefore = { ours: asked(ours), bare: asked(bare) };

    await succeeds(scene, 'pause', ours, '--why', 'their admin called');
    await signal(scene, bare, 'pause');
    const holds = async () => [
      (await inspect(scene, ours)).hold,
      (await inspect(scene, bare)).hold,
    ];
    await eventually('both holds, with every slot taken', async () =>
      (await holds()).every((hold) => hold !== null),
    );
    expect(inFlight()).toHaveLength(VISITS_AT_ONCE);
    for (const answer of answers.values()) answer.release();

    const areHeld = async () =>
      (await inspect(scene, ours)).state === 'held' &&
      (await inspect(scene, bare)).state === 'held';
    await eventually('both hosts to be held', areHeld);
    const others = hosts.filter((host) => host !== ours && host !== bare);
    const othersBefore = others.map(asked);
    await eventually('the others to go on', () =>
      others.some((host, index) => asked(host) > (othersBefore[index] ?? 0) + 3),
    );
    expect({ ours: asked(ours), bare: asked(bare) }).toEqual(askedBefore);
    expect(await succeeds(scene, 'why', ours)).toContain('their admin called');
    expect(await succeeds(scene, 'why', bare)).toContain('someone, by signal');
    expect(await succeeds(scene, 'status')).toMatch(/2 held/u);

    const { supervisor } = folder.record();
    killAll([first.pid, supervisor?.pid ?? first.pid].flatMap((pid) => processTreeOf(pid)));
    await first.exitCode;
    const second = scene.run('resume');

    await eventually('both hosts to be held again', async () => {
      return !second.hasExited() && (await areHeld().catch(() => false));
    });
    await eventually(
      'all pages of the others',
      () => pagesOf(web, others) >= reachableOf(web, others),
    );
    expect({ ours: asked(ours), bare: asked(bare) }).toEqual(askedBefore);
    // Fed again by the resume, its workflow asks once whether the hold still stands.
    await eventually(
      'the same hold',
      async () => (await inspect(scene, ours)).hold?.why === 'their admin called',
    );

    await succeeds(scene, 'resume', '--host', ours);
    await signal(scene, bare, 'resume');

    expect(await second.exitCode, second.output()).toBe(0);
    const { offences, repeats, pages } = web.judge.verdict(LAW);
    expect(offences).toEqual([]);
    expect([...pages].sort()).toEqual([...web.reachable()].sort());
    expect(repeats.length).toBeLessThanOrEqual(VISITS_AT_ONCE);
  },
);

function countRequests(web: TestWeb): (host: string) => number {
  const counts = new Map<string, number>();
  web.onRequest(({ host }) => counts.set(host, (counts.get(host) ?? 0) + 1));
  return (host) => counts.get(host) ?? 0;
}

function pagesOf(web: TestWeb, hosts: readonly string[]): number {
  return [...web.judge.verdict(LAW).pages].filter(isOn(hosts)).length;
}

/** What the paused hosts don't link to can be known only once they go on: their neighbours are linked by others too. */
function reachableOf(web: TestWeb, hosts: readonly string[]): number {
  return [...web.reachable()].filter(isOn(hosts)).length;
}

function isOn(hosts: readonly string[]): (url: string) => boolean {
  return (url) => hosts.includes(new URL(url).hostname);
}

/** Runs a command to its end; gives what it printed. */
async function succeeds(scene: Scene, ...args: readonly string[]): Promise<string> {
  const command = scene.run(...args);
  expect(await command.exitCode, command.output()).toBe(0);
  return command.output();
}

/** As a person does in Temporal's web UI: a signal's name, and nothing else. */
function signal(scene: Scene, host: string, name: string): Promise<void> {
  return withClient(scene, (client) =>
    client.workflow.getHandle(hostWorkflowId(host)).signal(name),
  );
}

function inspect(scene: Scene, host: string): Promise<HostView> {
  return withClient(scene, (client) =>
    client.workflow.getHandle(hostWorkflowId(host)).query<HostView>('inspect'),
  );
}

async function withClient<T>({ folder }: Scene, work: (client: Client) => Promise<T>): Promise<T> {
  const { ports } = folder.record();
  const address = `127.0.0.1:${String(ports.temporal ?? 0)}`;
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}
