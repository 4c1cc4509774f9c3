import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../workers/package-root.ts';

// The last step of the build: makes `npx decorum` run what was built. A `bin` in package.json would do so too, but
// then the first `npx` in a clone installs the clone into npm's own cache and builds everything once more.

const main = join(packageRoot(), 'dist', 'cli', 'main.js');
const folder = join(packageRoot(), 'node_modules', '.bin');
const link = join(folder, 'decorum');

chmodSync(main, 0o755);
mkdirSync(folder, { recursive: true });
rmSync(link, { force: true });
if (process.platform === 'win32') {
  writeFileSync(`${link}.cmd`, '@node "%~dp0\\..\\..\\dist\\cli\\main.js" %*\r\n');
} else {
  symlinkSync(join('..', '..', 'dist', 'cli', 'main.js'), link);
}
