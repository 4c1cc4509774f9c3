import { InvalidArgumentError } from 'commander';
import { parseHostKey } from '../../domain/host-key.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { parseRequestUrl } from '../../domain/request-url.ts';
import type { RequestUrl } from '../../domain/request-url.ts';

/** What `why` asks about. */
export type Subject =
  | { readonly kind: 'url'; readonly url: RequestUrl }
  | { readonly kind: 'host'; readonly host: HostKey };

/** A host name as typed; of a URL, its host. */
export function parseHost(text: string): HostKey {
  const host = parseHostKey(text);
  if (host !== undefined) return host;
  throw new InvalidArgumentError('It must be a host name, such as www.example.com.');
}

/** A URL as typed, with its scheme. */
export function parseUrl(text: string): RequestUrl {
  const url = text.includes('://') ? parseRequestUrl(text) : undefined;
  if (url !== undefined) return url;
  throw new InvalidArgumentError(
    'It must be a URL with its scheme, such as https://www.example.com/about.',
  );
}

/** A URL or a host name as typed. What has a path but no scheme could be either, so it is refused. */
export function parseSubject(text: string): Subject {
  if (text.includes('://')) {
    const url = parseRequestUrl(text);
    if (url !== undefined) return { kind: 'url', url };
  } else if (!text.includes('/')) {
    const host = parseHostKey(text);
    if (host !== undefined) return { kind: 'host', host };
  }
  throw new InvalidArgumentError(
    'It must be a URL with its scheme, such as https://www.example.com/about, or a host name.',
  );
}
