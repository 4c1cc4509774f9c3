import { expect, test } from 'vitest';
import { workflowBundle } from './bundle.ts';

/** Nothing of these may reach a workflow: they talk to the outside, or read it. */
const FORBIDDEN: readonly RegExp[] = [
  /^node:/u,
  /\/node_modules\/(?:pg|pg-[^/]+|undici|cheerio|tldts|robots-parser|htmlparser2|piscina|pino|zod)\//u,
  /\/node_modules\/@temporalio\/(?:client|worker|activity|core-bridge|envconfig)\//u,
  /\/(?:db|web|store|workers|cli|activities)\/[^/]+\.ts$/u,
];

/** All the SDK's part is 540 KB of it; ours has room to double. Source map aside. */
const MOST_BYTES = 700_000;

test('the bundle of the workflows holds no module that reaches outside', async () => {
  const { sources } = await bundled();

  expect(sources.some((source) => source.endsWith('/workflows/host.ts'))).toBe(true);
  const ours = sources.map((source) => source.replace(/^.*\/node_modules\//u, '/node_modules/'));
  expect(ours.filter((source) => FORBIDDEN.some((form) => form.test(source)))).toEqual([]);
});

test('the bundle stays small: every worker keeps a copy, and every build makes one', async () => {
  const { codeBytes } = await bundled();

  expect(codeBytes).toBeLessThan(MOST_BYTES);
});

/** The modules that went in, by the bundle's own source map, and the size of the code without that map. */
async function bundled(): Promise<{ sources: readonly string[]; codeBytes: number }> {
  const { code } = await workflowBundle();
  const [map, json = ''] = /\/\/# sourceMappingURL=data:[^,]*,(\S+)/u.exec(code) ?? [''];
  const { sources } = JSON.parse(Buffer.from(json, 'base64').toString()) as { sources: string[] };
  return { sources, codeBytes: Buffer.byteLength(code) - map.length };
}
