declare const requestUrlBrand: unique symbol;

/** A URL in the form in which it is fetched and stored (R21): WHATWG serialisation, http or https, no fragment, no userinfo. */
export type RequestUrl = string & { readonly [requestUrlBrand]: true };

/**
 * Reads a URL as a browser would (WHATWG URL), resolved against `base` where one is given.
 *
 * `undefined` for what can't be crawled: another scheme than http and https, or text that is no URL. Never throws.
 */
export function parseRequestUrl(text: string, base?: string): RequestUrl | undefined {
  const url = parse(text, base);
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return undefined;
  }

  url.hash = '';
  url.username = '';
  url.password = '';
  return url.href as RequestUrl;
}

/** Takes a stored string at its word: only for values that `parseRequestUrl` made and the database kept. */
export function asRequestUrl(stored: string): RequestUrl {
  return stored as RequestUrl;
}

function parse(text: string, base: string | undefined): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
