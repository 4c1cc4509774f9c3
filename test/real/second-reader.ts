import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runWell } from './run-command.ts';

/** One response as Python's warcio reads it: a reader that shares no code with our writer. */
export interface ReadResponse {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  /** SHA-256 of the decoded body, in hexadecimal. */
  readonly bodySha256: string;
}

/** Reads each record to its end with its digests checked, and prints the responses. */
const READER = `
import hashlib, json, sys
from warcio.archiveiterator import ArchiveIterator

for name in sys.argv[1:]:
    with open(name, 'rb') as stream:
        for record in ArchiveIterator(stream, check_digests='raise'):
            body = record.content_stream().read()
            if record.rec_type != 'response':
                continue
            http = record.http_headers
            print(json.dumps({
                'url': record.rec_headers.get_header('WARC-Target-URI'),
                'status': int(http.get_statuscode()),
                'contentType': http.get_header('Content-Type', ''),
                'contentEncoding': http.get_header('Content-Encoding', ''),
                'bodySha256': hashlib.sha256(body).hexdigest(),
            }))
`;

const LIMIT_MS = 300_000;

/** Every response in the files. */
export async function readResponses(files: readonly string[]): Promise<readonly ReadResponse[]> {
  const { stdout } = await runWell('python3', ['-', ...files], {
    limitMs: LIMIT_MS,
    stdin: READER,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ReadResponse);
}

/** Has `warcio check` verify every digest; a wrong or missing one is thrown. */
export async function checkDigests(files: readonly string[]): Promise<void> {
  const args = ['-m', 'warcio.cli', 'check', '-v', ...files];
  const { stdout } = await runWell('python3', args, { limitMs: LIMIT_MS });
  const unchecked = stdout.match(/(?<! warcinfo\n\s+)no digest to check/g) ?? [];
  if (unchecked.length > 0) throw new Error(`${unchecked.length} records have no digest`);
}

/** What lies below a folder that ends so, sorted. */
export async function filesBelow(dir: string, ending: string): Promise<readonly string[]> {
  const names = await readdir(dir, { recursive: true });
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(dir, name));
}
