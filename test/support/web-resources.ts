/** A page or file of the test web, by host and path (with query). */
export interface Place {
  readonly host: string;
  readonly path: string;
}

/** What lies under a path. */
export type Resource =
  | { readonly kind: 'page'; readonly links: readonly Place[]; readonly markup: Markup }
  | { readonly kind: 'redirect'; readonly status: RedirectStatus; readonly to: Place }
  | { readonly kind: 'sitemap'; readonly form: SitemapForm; readonly links: readonly Place[] }
  | { readonly kind: 'error'; readonly status: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'malformed'; readonly form: MalformedForm };

/** How a sitemap is written: XML that names pages, XML that names further sitemaps, one URL a line. */
export type SitemapForm = 'pages' | 'index' | 'lines';

/** How the HTML of a page is written; every form keeps its links where any HTML parser finds them. */
export type Markup = 'clean' | 'broken' | 'deep';

export type RedirectStatus = 301 | 302 | 303 | 307 | 308;

/**
 * Answers that break HTTP: a length that promises more or less than comes, a chunked body without its end, a close
 * without a byte, bytes that aren't HTTP.
 */
export type MalformedForm = 'longLength' | 'shortLength' | 'cutChunks' | 'earlyClose' | 'notHttp';
