import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Node's arguments for one of our own scripts in `workers/`: built where we run built, else through `tsx`. */
export function scriptArguments(name: string): readonly string[] {
  return fileArguments(join(import.meta.dirname, `${name}${extname(import.meta.filename)}`));
}

/** Node's arguments for any script of ours, `.js` or `.ts`. */
export function fileArguments(file: string): readonly string[] {
  if (extname(file) !== '.ts') return [file];
  const loader = createRequire(import.meta.url).resolve('tsx');
  return ['--import', pathToFileURL(loader).href, file];
}
