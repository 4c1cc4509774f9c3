import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Decorum's own folder, the one with `package.json`, whether this runs from the sources or from `dist/`. */
export function packageRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`No package.json above ${import.meta.dirname}`);
  }
}
