import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { WARCParser } from 'warcio';
import { decodedBody } from './decode-body.ts';
import type { HeaderLines, WarcPlace } from './exchange.ts';

/** A stored response, as a reader of the archive sees it. */
export interface StoredResponse {
  readonly status: number;
  /** As stored: one character a byte (latin1). */
  readonly headers: HeaderLines;
  /** Without its Content-Encoding; of a truncated page what can be decoded. */
  readonly body: Buffer;
}

/** Reads one response back from where `WarcStore.write` said it lies. */
export async function readWarcResponse(
  dir: string,
  place: Pick<WarcPlace, 'file' | 'offset' | 'length'>,
): Promise<StoredResponse> {
  const record = await WARCParser.parse([await readPart(join(dir, place.file), place)], {
    parseHttp: false,
  });
  if (record?.warcType !== 'response') {
    throw new Error(`No response record at ${place.offset} of ${place.file}`);
  }
  const block = Buffer.from(await record.readFully(false));
  const { status, headers, rawBody } = splitBlock(block);
  return { status, headers, body: await decodedBody(headers, rawBody) };
}

async function readPart(
  path: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    if (bytesRead < length) throw new Error(`${path} ends before ${offset + length}`);
    return buffer;
  } finally {
    await file.close();
  }
}

const HEAD_END = '\r\n\r\n';

function splitBlock(block: Buffer): {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly rawBody: Buffer;
} {
  const headEnd = block.indexOf(HEAD_END);
  const [statusLine = '', ...lines] = block.toString('latin1', 0, headEnd).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    rawBody: block.subarray(headEnd + HEAD_END.length),
  };
}
