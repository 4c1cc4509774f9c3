import { parseRequestUrl, type RequestUrl } from '../../domain/request-url.ts';

/** A request URL for a test; throws where the text is none, so that a slip in a test shows. */
export function requestUrl(text: string): RequestUrl {
  const url = parseRequestUrl(text);
  if (url === undefined) throw new Error(`"${text}" is no request URL`);
  return url;
}
