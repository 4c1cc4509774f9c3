import type { ArchivedExchange, HeaderLines } from './exchange.ts';

/**
 * The head of the stored response: status line, headers and the blank line.
 *
 * The body is stored without its chunk framing and perhaps cut, so `Transfer-Encoding`, and a `Content-Length` that
 * isn't true of the stored bytes, are kept as `X-Archive-Orig-…`; a true `Content-Length` takes their place. The block
 * is then a valid HTTP message (RFC 9112 §6) that any WARC reader decodes right.
 */
export function responseHead(exchange: ArchivedExchange): Buffer {
  const { httpVersion, status, statusText, headers, rawBody } = exchange;
  const statusLine = `${protocol(httpVersion)} ${status} ${singleLine(statusText)}`;
  return head(statusLine, framedAsStored(headers, status, rawBody.length));
}

/** The stored request: a GET has no body, so its head is the whole block. */
export function requestHead({ url, httpVersion, requestHeaders }: ArchivedExchange): Buffer {
  const { pathname, search } = new URL(url);
  return head(`GET ${pathname}${search} ${protocol(httpVersion)}`, requestHeaders);
}

function framedAsStored(headers: HeaderLines, status: number, bodyBytes: number): HeaderLines {
  const lengths = headers.filter(([name]) => isNamed(name, 'content-length'));
  const isLengthTrue = lengths.length === 1 && lengths[0]?.[1].trim() === String(bodyBytes);
  const isUntrue = (name: string) =>
    isNamed(name, 'transfer-encoding') || (!isLengthTrue && isNamed(name, 'content-length'));

  const kept = headers.map(
    ([name, value]) => [isUntrue(name) ? `X-Archive-Orig-${name}` : name, value] as const,
  );
  if (isLengthTrue || hasNoBody(status)) return kept;
  return [...kept, ['Content-Length', String(bodyBytes)]];
}

/** RFC 9110 §8.6: no Content-Length of a 204; that of a 304 would speak of another answer. */
function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

function isNamed(name: string, lowerCaseName: string): boolean {
  return name.trim().toLowerCase() === lowerCaseName;
}

function protocol(httpVersion: string): string {
  return /^HTTP\/\d\.\d$/.test(httpVersion) ? httpVersion : 'HTTP/1.1';
}

function head(firstLine: string, headers: HeaderLines): Buffer {
  const lines = headers.map(([name, value]) => `${token(name)}: ${singleLine(value)}`);
  return Buffer.concat([firstLine, ...lines, ''].map((line) => wireBytes(`${line}\r\n`)));
}

/** A field name that can't end its line or its name early (RFC 9110 §5.6.2). */
function token(name: string): string {
  return name.trim().replace(/[^!#$%&'*+\-.^_`|~0-9A-Za-z]/g, '_') || '_';
}

/** A value that can't smuggle a line in: CR, LF and NUL become spaces (RFC 9110 §5.5). */
function singleLine(value: string): string {
  return value.replace(/[\r\n\0]+/g, ' ').trim();
}

/** The bytes that came over the wire; a text that isn't one character a byte was decoded by somebody, from UTF-8. */
function wireBytes(line: string): Buffer {
  const isOneByteEach = !/[^\u0000-\u00ff]/.test(line);
  return Buffer.from(line, isOneByteEach ? 'latin1' : 'utf8');
}
