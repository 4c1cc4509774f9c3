import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedFile } from '../../db/deep-check/deep-check.ts';
import { markerOf } from '../../store/warc-file.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

const NAME = 'WARC folder';
const SHOWN = 5;

/** Whether the pages' files can be read, and none was left open by a kill. */
export function warcFinding(
  folder: string,
  { hasWriters }: { readonly hasWriters: boolean },
): Finding {
  if (!existsSync(folder)) return ok(NAME, 'none yet');
  const files = readdirSync(folder).filter((name) => name.endsWith('.warc.gz'));
  const barred = files.filter((name) => !isReadable(join(folder, name)));
  if (barred.length > 0) {
    return fault(
      NAME,
      `cannot be read: ${few(barred)}`,
      `become their owner (chown), or allow it (chmod)`,
    );
  }
  const marker = markerOf('');
  const open = readdirSync(folder).filter((name) => name.endsWith(marker));
  const found = `${files.length} files in ${folder}, ${open.length} being written`;
  if (open.length === 0 || hasWriters) return ok(NAME, found);
  return warning(
    NAME,
    `left open by a worker that was killed: ${few(open.map((name) => name.slice(0, -marker.length)))}`,
    'nothing to do: the next crawl or resume makes them whole',
  );
}

/** Whether each file that a fetch record names is there, and as long as its records say. */
export function archiveFinding(folder: string, recorded: readonly RecordedFile[]): Finding {
  const name = 'WARC files';
  const wrong = recorded.flatMap(({ file, endBytes, records }) => {
    const bytes = statSync(join(folder, file), { throwIfNoEntry: false })?.size;
    if (bytes === undefined) return `${file}: expected ${endBytes} bytes or more, found no file`;
    if (bytes >= endBytes) return [];
    return `${file}: expected ${endBytes} bytes or more, found ${bytes} (${records} records)`;
  });
  if (wrong.length > 0) {
    return fault(name, few(wrong), `bring them back to ${folder} from a backup`);
  }
  const records = recorded.reduce((sum, file) => sum + file.records, 0);
  return ok(name, `${recorded.length} files have all of ${records} records`);
}

function few(names: readonly string[]): string {
  const rest = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).join(', ')}${rest}`;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
