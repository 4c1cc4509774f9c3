import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../package-root.ts';
import { fault, ok, reasonOf, type Finding } from './finding.ts';

/** Node, and the package's own files. */
export function installationFindings(root = packageRoot()): readonly Finding[] {
  const file = join(root, 'package.json');
  try {
    const { engines } = manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
    return [nodeFinding(process.versions.node, engines.node), buildFinding(root)];
  } catch (error) {
    return [fault('build', `${file}: ${reasonOf(error)}`, 'install Decorum again')];
  }
}

const manifest = z.object({ engines: z.object({ node: z.string() }) });

/**
 * Whether this version of Node will do.
 *
 * @param wanted as in `engines` of package.json: `>=20.19`.
 */
export function nodeFinding(version: string, wanted: string): Finding {
  const found = `${version} (${wanted} is needed)`;
  return isAtLeast(version, wanted.replace(/^>=\s*/, ''))
    ? ok('Node', found)
    : fault('Node', found, `install Node ${wanted.replace(/^>=\s*/, '')} or newer`);
}

/** Whether a version, such as `20.19.1`, is another or comes after it; what is missing counts as 0. */
export function isAtLeast(version: string, least: string): boolean {
  const parts = numbersOf(version);
  for (const [at, wanted] of numbersOf(least).entries()) {
    const part = parts[at] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

function numbersOf(version: string): readonly number[] {
  return version.split(/[^\d]+/).map(Number);
}

/** What the build makes: without the bundle each worker bundles the workflows at its start. */
const BUILT = [
  join('dist', 'cli', 'main.js'),
  join('dist', 'workers', 'supervisor.js'),
  join('dist', 'workers', 'main.js'),
  join('dist', 'workflow-bundle.js'),
];

/** Whether the package was built. */
export function buildFinding(root: string): Finding {
  const missing = BUILT.filter((file) => !existsSync(join(root, file)));
  return missing.length === 0
    ? ok('build', join(root, 'dist'))
    : fault('build', `missing in ${root}: ${missing.join(', ')}`, 'run "npm run build" there');
}
