import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker';
import { workflowSource } from '../../workers/workflow-source.ts';

let making: Promise<WorkflowBundle> | undefined;

/** The workflows, bundled from their sources as a worker would bundle them; once a test file. */
export function workflowBundle(): Promise<WorkflowBundle> {
  making ??= makeBundle();
  return making;
}

function makeBundle(): Promise<WorkflowBundle> {
  const source = workflowSource();
  if (!('workflowsPath' in source)) throw new Error('These tests run from the sources');
  return bundleWorkflowCode({ ...source, logger: new DefaultLogger('WARN') });
}
