import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { LoadedPrioritizer, Prioritizer } from '../domain/prioritizer.ts';

/**
 * Loads a prioritizer module: its default export, or the one named `prioritizer`. A file that was changed is loaded anew;
 * what it imports itself is not.
 *
 * @throws Error whose message says what is wrong with the file.
 */
export async function loadPrioritizer(file: string): Promise<LoadedPrioritizer> {
  const { mtimeMs, size } = await stat(file).catch((cause: unknown) => {
    throw new Error(`it cannot be read: ${messageOf(cause)}`, { cause });
  });
  // Node keeps a module by its address, for as long as the process lives.
  const address = `${pathToFileURL(file).href}?version=${mtimeMs}-${size}`;
  const loaded = await importModule(address);
  const rule = loaded['prioritizer'] ?? loaded['default'];
  if (typeof rule !== 'function')
    throw new Error('it has no function as its default export, nor one exported as "prioritizer"');
  return { file, rule: rule as Prioritizer };
}

/** The same for whoever goes on in any case: a module that can't be loaded gives a rule that always throws why. */
export async function prioritizerAt(file: string): Promise<LoadedPrioritizer> {
  try {
    return await loadPrioritizer(file);
  } catch (error) {
    return {
      file,
      rule: () => {
        throw error;
      },
    };
  }
}

async function importModule(address: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(/* @vite-ignore */ address)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new Error(`it cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
