declare const requestUrlBrand: unique symbol;

/** A URL in the form in which it is fetched and stored (R21): WHATWG serialisation, http or https, no fragment, no userinfo. */
export type RequestUrl = string & { readonly [requestUrlBrand]: true };

/** What a reference in a page, a header or a file comes to. */
export type ReadReference =
  | {
      readonly kind: 'url';
      readonly url: RequestUrl;
      /** Whether a user's name or password was dropped: they are sent nowhere and kept nowhere. */
      readonly hadUserinfo: boolean;
    }
  /** `scheme`: neither http nor https (`data:`, `javascript:`, `mailto:`, `blob:` …); `malformed`: no URL at all. */
  | { readonly kind: 'scheme' | 'malformed' };

/** Reads a reference as a browser would (WHATWG URL), resolved against `base` where one is given. Never throws. */
export function readReference(text: string, base?: string): ReadReference {
  const url = parse(text, base);
  if (url === undefined) return { kind: 'malformed' };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { kind: 'scheme' };
  // A host of dots alone is the root of all names, and nobody's.
  if (/^https?:\/\/\.+[:/]/u.test(url.href)) return { kind: 'malformed' };

  const hadUserinfo = url.username !== '' || url.password !== '';
  // Set where needed only: each costs as much as the parse.
  if (url.href.includes('#')) url.hash = '';
  if (hadUserinfo) {
    url.username = '';
    url.password = '';
  }
  return { kind: 'url', url: url.href as RequestUrl, hadUserinfo };
}

/** The same where only a URL that can be crawled is of use. */
export function parseRequestUrl(text: string, base?: string): RequestUrl | undefined {
  const read = readReference(text, base);
  return read.kind === 'url' ? read.url : undefined;
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
