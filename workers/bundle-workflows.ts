import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { bundleFile } from './workflow-source.ts';

// A step of the build: workers load the bundle instead of making it at each start.
const { code } = await bundleWorkflowCode({
  workflowsPath: join(import.meta.dirname, '..', 'workflows', 'index.js'),
  logger: new DefaultLogger('WARN'),
});
await writeFile(bundleFile(), code);
