import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { HeadersMultiMap, StatusAndHeaders, WARCRecord, WARCSerializer, WARC_1_1 } from 'warcio';
import type { ArchivedExchange, RevisitedRecord } from './exchange.ts';
import { requestHead, responseHead } from './http-block.ts';
import { sha1Digest } from './sha1-digest.ts';

/** An exchange ready to be appended: two records, each a gzip member of its own. */
export interface ExchangeRecords {
  readonly response: Buffer;
  readonly request: Buffer;
  readonly recordId: string;
  /** The payload digest of the response. */
  readonly digest: string;
}

/**
 * Builds the response record, or the revisit record of a 304, and the request record that goes with it (WARC/1.1 §6.3, §6.4, §6.7).
 * The compression runs in Node's thread pool, so that a large page doesn't hold up the event loop.
 */
export async function exchangeRecords(exchange: ArchivedExchange): Promise<ExchangeRecords> {
  const responseId = recordId();
  const digest = exchange.revisits?.digest ?? sha1Digest(exchange.rawBody);
  const [response, request] = await Promise.all([
    compressed(responseFields(exchange, responseId, digest), [
      responseHead(exchange),
      exchange.rawBody,
    ]),
    compressed(requestFields(exchange, responseId), [requestHead(exchange)]),
  ]);
  return { response, request, recordId: responseId, digest };
}

/** The record that opens each file: what wrote it, and for which crawl (WARC/1.1 §6.2). */
export async function warcinfoRecord(about: {
  readonly file: string;
  readonly crawl: string;
  readonly software: string;
  readonly createdAt: Date;
}): Promise<Buffer> {
  const fields = [
    ['software', about.software],
    ['format', 'WARC File Format 1.1'],
    [
      'conformsTo',
      'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    ],
    ['isPartOf', about.crawl],
  ].map(([name, value]) => `${String(name)}: ${String(value).replace(/[\r\n]+/g, ' ')}\r\n`);
  return compressed(
    {
      'WARC-Type': 'warcinfo',
      'WARC-Record-ID': recordId(),
      'WARC-Date': about.createdAt.toISOString(),
      'WARC-Filename': about.file,
      'Content-Type': 'application/warc-fields',
    },
    [Buffer.from(fields.join(''))],
  );
}

type WarcFields = Readonly<Record<string, string>>;

function responseFields(exchange: ArchivedExchange, id: string, digest: string): WarcFields {
  return {
    'WARC-Type': exchange.revisits === undefined ? 'response' : 'revisit',
    'WARC-Record-ID': id,
    ...sharedFields(exchange),
    ...(exchange.revisits === undefined ? {} : revisitFields(exchange.revisits)),
    ...(exchange.truncated ? { 'WARC-Truncated': 'length' } : {}),
    'WARC-Payload-Digest': digest,
    'Content-Type': 'application/http; msgtype=response',
  };
}

/** What a reader looks the body up by (WARC/1.1 §6.7.3). */
function revisitFields({ url, recordId, recordedAt }: RevisitedRecord): WarcFields {
  return {
    'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
    'WARC-Refers-To': recordId,
    'WARC-Refers-To-Target-URI': new URL(url).href,
    'WARC-Refers-To-Date': recordedAt,
  };
}

function requestFields(exchange: ArchivedExchange, responseId: string): WarcFields {
  return {
    'WARC-Type': 'request',
    'WARC-Record-ID': recordId(),
    'WARC-Concurrent-To': responseId,
    ...sharedFields(exchange),
    'WARC-Payload-Digest': sha1Digest(),
    'Content-Type': 'application/http; msgtype=request',
  };
}

/** The block has the form of HTTP/1.1 whatever was spoken, so that the proposed field `WARC-Protocol` says HTTP/2. */
function sharedFields({
  url,
  fetchedAt,
  remoteAddress,
  httpVersion,
}: ArchivedExchange): WarcFields {
  return {
    'WARC-Target-URI': new URL(url).href,
    'WARC-Date': fetchedAt.toISOString(),
    ...(/^[0-9a-f.:]+$/i.test(remoteAddress) ? { 'WARC-IP-Address': remoteAddress } : {}),
    ...(httpVersion === 'HTTP/2' ? { 'WARC-Protocol': 'h2' } : {}),
  };
}

function recordId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}

const gzipped = promisify(gzip);

/**
 * One record as a gzip member. The HTTP block is handed over as finished bytes: warcio's own header map merges
 * repeated names, re-encodes latin1 and refuses a repeated `WARC-…` header, all of which a site may send.
 */
async function compressed(fields: WarcFields, block: readonly Uint8Array[]): Promise<Buffer> {
  const headers = new SingleValues({
    ...fields,
    ...(fields['WARC-Type'] === 'warcinfo' ? {} : { 'WARC-Block-Digest': sha1Digest(...block) }),
  });
  const warcHeaders = new StatusAndHeaders({ statusline: WARC_1_1, headers });
  const record = new WARCRecord({ warcHeaders, reader: block });
  return gzipped(await WARCSerializer.serialize(record));
}

/** warcio reads `,,,` in a value, legal in a URL, as the seam of several values, and then refuses the record. */
class SingleValues extends HeadersMultiMap {
  override isMultiValue(): boolean {
    return false;
  }
}
