import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { bundleFile, workflowSources } from './workflow-source.ts';

// A step of the build: workers load the bundle instead of making it at each start.
const { workflowsPath, bundlerOptions } = workflowSources({ stacks: false });
const { code } = await bundleWorkflowCode({
  workflowsPath,
  ...bundlerOptions,
  logger: new DefaultLogger('WARN'),
});
await writeFile(bundleFile(), code);
