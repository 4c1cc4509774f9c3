import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../workers/package-root.ts';
import { configurationPage, configurationSchema } from './configuration-page.ts';

// Run by `npm run docs`, which formats both afterwards.

const docs = join(packageRoot(), 'docs');
writeFileSync(join(docs, 'configuration.md'), configurationPage());
writeFileSync(join(docs, 'decorum-config.schema.json'), configurationSchema());
