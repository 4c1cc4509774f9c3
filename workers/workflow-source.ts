import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';

/** Where the build leaves the workflows' bundle, beside the built worker. */
export function bundleFile(): string {
  return join(import.meta.dirname, '..', 'workflow-bundle.js');
}

/** What a bundle is made of. */
export interface WorkflowSources {
  readonly workflowsPath: string;
  readonly bundlerOptions: { readonly preloadModules: string[] };
}

/** The workflows' sources, beside this file or beside its built form; `stacks` keeps stack traces, which cost time. */
export function workflowSources({ stacks }: { readonly stacks: boolean }): WorkflowSources {
  const file = (name: string): string =>
    join(import.meta.dirname, '..', 'workflows', `${name}${extname(import.meta.filename)}`);
  return {
    workflowsPath: file('index'),
    // Our own modules too: otherwise each workflow that is in memory has instances of its own. They keep no state.
    bundlerOptions: {
      preloadModules: [...(stacks ? [] : [file('without-stacks')]), file('index')],
    },
  };
}

/** The workflows for a worker: the prebuilt bundle where there is one and it will do, else the sources, bundled at start. */
export function workflowSource({
  stacks = false,
}: {
  readonly stacks?: boolean;
} = {}): { readonly workflowBundle: { readonly codePath: string } } | WorkflowSources {
  const built = extname(import.meta.filename) === '.js';
  if (built && !stacks && existsSync(bundleFile())) {
    return { workflowBundle: { codePath: bundleFile() } };
  }
  return workflowSources({ stacks });
}
