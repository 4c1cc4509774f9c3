import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { textOf, trackedFiles } from './pages.ts';

const files = trackedFiles();

/** Folders of one person's machine; `/home/user` and the like in a path. */
const MACHINE_PATH = /(?<![\w./])\/(?:home|Users|root|work)\/[\w.-]/;
/** A lock file that names a registry ties everybody to it. */
const REGISTRY = /registry\.[a-z]+\.(?:com|org)|"resolved":/;

test('no file names a path of one machine', () => {
  const own = 'test/docs/repository.test.ts';
  const named = files.filter(
    (path) => path !== own && isText(path) && MACHINE_PATH.test(textOf(path)),
  );
  expect(named).toEqual([]);
});

test('no file names a package registry', () => {
  const own = 'test/docs/repository.test.ts';
  const named = files.filter((path) => path !== own && isText(path) && REGISTRY.test(textOf(path)));
  expect(named).toEqual([]);
});

test('links between pages lead somewhere', () => {
  for (const page of files.filter((path) => path.endsWith('.md'))) {
    for (const [, target = ''] of textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)/g)) {
      const path = posix.normalize(posix.join(posix.dirname(page), target));
      const isThere = files.some((file) => file === path || file.startsWith(path));
      expect(isThere, `${page}: ${target}`).toBe(true);
    }
  }
});

test('every dependency is pinned to one version', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
});

function isText(path: string): boolean {
  return !/\.(gz|png|ico|woff2?|bin)$/.test(path);
}
