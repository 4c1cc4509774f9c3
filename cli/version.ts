import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../workers/package-root.ts';

const manifest = z.object({ version: z.string() });

/** Decorum's version, as `package.json` has it. */
export const VERSION = manifest.parse(
  JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')),
).version;
