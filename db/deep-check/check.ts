/** One place where what is kept differs from what follows from the other rows. */
export interface Inconsistency {
  /** Whose value it is: `crawl "docs": URLs queued in band 2`. */
  readonly what: string;
  /** What the other rows say. */
  readonly expected: string;
  /** What is kept. */
  readonly found: string;
}

/** The outcome of one comparison over the whole database. */
export interface DeepCheck {
  readonly name: string;
  /** Rows that were looked at for it. */
  readonly compared: number;
  /** How many places differ. */
  readonly wrong: number;
  /** A few of them. */
  readonly examples: readonly Inconsistency[];
}

/** A statement that answers one row for each check it makes. */
export interface DeepStatement {
  /** What it looks at, in a word or two, for those who wait. */
  readonly looksAt: string;
  readonly text: string;
}

/**
 * A condition on rows that have a crawl: it isn't being removed. While that goes on its rows go one after another, so
 * what is left of them adds up to nothing.
 */
export const WHOLE_CRAWL = `crawl_id not in (select crawl_id from crawl where removing_since is not null)`;

/**
 * A condition on fetch records: it counts as a page (R43). A page is an answer: the fetched, and the dead whose last
 * failure was one (activities/url-settlement.ts); a sitemap is none.
 */
export const IS_PAGE = `(outcome in ('fetched', 'unchanged') and reason is distinct from 'sitemap'
                or outcome = 'dead' and status is not null and reason is distinct from 'too many redirects')`;

/** Examples told of one check; our choice. */
export const EXAMPLES = 5;
