import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Surroundings } from '../../workers/config.ts';
import { packageRoot } from '../../workers/package-root.ts';
import { BadInput } from '../../workers/server-errors.ts';
import { findTemporalCli, TEMPORAL_CLI_VERSION } from '../../workers/temporal-cli.ts';

test('TEMPORAL_CLI comes first, then the path, then the one kept from an earlier run', async () => {
  const { named, onPath, kept, surroundings } = aMachine();

  expect(await find({ ...surroundings, temporalCli: named })).toBe(named);
  expect(await find(surroundings)).toBe(onPath);
  expect(await find({ ...surroundings, path: '' })).toBe(kept);
});

test('one on the path that does not run here is passed over', async () => {
  const { onPath, kept, surroundings } = aMachine();
  writeFileSync(onPath, '#!/bin/sh\nexit 1\n');

  expect(await find(surroundings)).toBe(kept);
});

test('a TEMPORAL_CLI that does not run is an error, not a guess', async () => {
  const { surroundings } = aMachine();
  const temporalCli = '/nowhere/temporal';

  await expect(find({ ...surroundings, temporalCli })).rejects.toThrow(BadInput);
});

test('what is downloaded is the release that the Go module pins', () => {
  const pinned = readFileSync(join(packageRoot(), 'tools', 'temporal', 'go.mod'), 'utf8');
  expect(pinned).toContain(`github.com/temporalio/cli v${TEMPORAL_CLI_VERSION}`);
});

function find(surroundings: Surroundings): Promise<string> {
  return findTemporalCli(() => undefined, surroundings);
}

function aMachine(): {
  named: string;
  onPath: string;
  kept: string;
  surroundings: Surroundings;
} {
  const root = mkdtempSync(join(tmpdir(), 'decorum-cli-'));
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true });
  });
  const named = aProgram(join(root, 'named', 'my-temporal'));
  const onPath = aProgram(join(root, 'bin', 'temporal'));
  const kept = aProgram(join(root, 'cache', `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal'));
  const surroundings = {
    environment: {},
    path: `${join(root, 'empty')}:${dirname(onPath)}`,
    temporalCli: undefined,
    cacheFolder: join(root, 'cache'),
  };
  return { named, onPath, kept, surroundings };
}

function aProgram(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '#!/bin/sh\necho "temporal version 0"\n', { mode: 0o755 });
  return path;
}
