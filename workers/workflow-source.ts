import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where the build leaves the workflows' bundle, beside the built worker. */
export function bundleFile(): string {
  return join(import.meta.dirname, '..', 'workflow-bundle.js');
}

/** The workflows for a worker: the prebuilt bundle where this runs built, else the sources, bundled at start. */
export function workflowSource():
  { readonly workflowBundle: { readonly codePath: string } } | { readonly workflowsPath: string } {
  const built = import.meta.filename.endsWith('.js');
  if (built && existsSync(bundleFile())) return { workflowBundle: { codePath: bundleFile() } };
  return {
    workflowsPath: join(import.meta.dirname, '..', 'workflows', built ? 'index.js' : 'index.ts'),
  };
}
