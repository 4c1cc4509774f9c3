import { CookieJar } from 'tough-cookie';
import { fieldsNamed, type HeaderFields } from './header-fields.ts';

/** Cookies of one visit, in memory only (RFC 6265). */
export interface Cookies {
  /** The value of `Cookie` for a request; `undefined` where there is none to send. */
  readonly headerFor: (url: URL) => string | undefined;
  /** Takes what an answer sets. */
  readonly take: (url: URL, headers: HeaderFields) => void;
}

/** The most cookies that one answer may set. */
const SET_LIMIT = 50;

/** A longer `Cookie` is not sent, and all of it forgotten: servers refuse such requests; our choice. */
const HEADER_LIMIT_CHARS = 4_096;

/** An empty jar. What cannot be read, belongs to another host or would break a request is left out. */
export function createCookies(): Cookies {
  const jar = new CookieJar(undefined, { allowSpecialUseDomain: true });
  return {
    headerFor: (url) => {
      const value = jar.getCookieStringSync(url.href);
      if (value.length > HEADER_LIMIT_CHARS) jar.removeAllCookiesSync();
      return /^[\x20-\x7e]+$/.test(value) && value.length <= HEADER_LIMIT_CHARS ? value : undefined;
    },
    take: (url, headers) => {
      const set = fieldsNamed({ headers }, 'set-cookie').slice(0, SET_LIMIT);
      for (const line of set.filter((text) => /^[\x20-\x7e]+$/.test(text))) {
        jar.setCookieSync(line, url.href, { ignoreError: true });
      }
    },
  };
}
