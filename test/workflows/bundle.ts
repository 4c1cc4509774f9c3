import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker';
import { workflowSources } from '../../workers/workflow-source.ts';

let making: Promise<WorkflowBundle> | undefined;

/** The workflows, bundled from their sources as a worker would bundle them; once a test file. */
export function workflowBundle(): Promise<WorkflowBundle> {
  making ??= makeBundle();
  return making;
}

function makeBundle(): Promise<WorkflowBundle> {
  const { workflowsPath, bundlerOptions } = workflowSources({ stacks: false });
  return bundleWorkflowCode({
    workflowsPath,
    ...bundlerOptions,
    logger: new DefaultLogger('WARN'),
  });
}
