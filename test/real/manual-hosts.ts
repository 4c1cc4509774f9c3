import type { Manual } from './required-tools.ts';

/**
 * One of the manuals as a web host. What it serves is a Debian package's; names and rules are ours, and such as bite:
 * each path named here is one to which the manual's own pages link.
 */
export interface ManualHost {
  readonly manual: Manual;
  /** Below `localhost`, hence on loopback by RFC 6761 §6.3: no name server need know it. */
  readonly host: string;
  readonly robots: readonly string[];
  /** Its nginx directives, besides `root`. */
  readonly directives: (origins: Origins) => readonly string[];
  /** Paths that robots.txt forbids, said a second time and in another way. */
  readonly forbidden: RegExp;
  /** The rule with `*`, which wget doesn't understand, as a POSIX regular expression for its command line. */
  readonly byWildcard: string;
  /** For each rule that forbids, a linked path that it keeps us from. */
  readonly kept: readonly { readonly path: string; readonly rule: string }[];
  /** As many pages as are wanted at least for a comparison that says something. */
  readonly minPages: number;
}

/** The origin of each host, such as `http://git.localhost:8080`. */
export type Origins = Readonly<Record<Manual, string>>;

/** The page where a walk of all three begins; no manual links to the others. */
export const ENTRY_PATH = '/manuals.html';

export const MANUAL_HOSTS: readonly ManualHost[] = [
  {
    manual: 'git',
    host: 'git-doc.localhost',
    robots: ['User-agent: *', 'Disallow: /git-svn.html', 'Disallow: /howto/*.txt$'],
    directives: (origins) => [
      'autoindex on;',
      'charset utf-8;',
      `location = ${ENTRY_PATH} { default_type text/html; return 200 '${entryPage(origins)}'; }`,
      'location = /git-gui.html { return 301 /git-citool.html; }',
      'location = /git-archimport.html { return 302 /git-svn.html; }',
    ],
    forbidden: /^\/git-svn\.html|^\/howto\/.*\.txt$/u,
    byWildcard: '/howto/.*[.]txt$',
    kept: [
      { path: '/git-svn.html', rule: 'Disallow: /git-svn.html' },
      { path: '/howto/new-command.txt', rule: 'Disallow: /howto/*.txt$' },
    ],
    minPages: 200,
  },
  {
    manual: 'postgresql',
    host: 'postgresql-doc.localhost',
    robots: [
      'User-agent: *',
      'Disallow: /',
      '',
      'User-agent: wget',
      'User-agent: decorum',
      'Disallow: /sql-drop',
      'Allow: /sql-droptable.html',
      'Disallow: /*-statistics.html',
    ],
    directives: () => [],
    forbidden: /^\/sql-drop(?!table\.html)|-statistics\.html/u,
    byWildcard: '/.*-statistics[.]html',
    kept: [
      { path: '/sql-dropview.html', rule: 'Disallow: /sql-drop' },
      { path: '/functions-statistics.html', rule: 'Disallow: /*-statistics.html' },
    ],
    minPages: 1_000,
  },
  {
    manual: 'python',
    host: 'python-doc.localhost',
    robots: [
      'User-agent: *',
      'Allow: /faq/general.html',
      'Disallow: /faq/',
      'Disallow: /whatsnew/2.*.html$',
    ],
    directives: (origins) => [
      'absolute_redirect off;',
      `location = /library/sqlite3.html { return 301 ${origins.postgresql}/tutorial-sql.html; }`,
    ],
    forbidden: /^\/faq\/(?!general\.html)|^\/whatsnew\/2\..*\.html$/u,
    byWildcard: '/whatsnew/2[.].*[.]html$',
    kept: [
      { path: '/faq/design.html', rule: 'Disallow: /faq/' },
      { path: '/whatsnew/2.7.html', rule: 'Disallow: /whatsnew/2.*.html$' },
    ],
    minPages: 450,
  },
];

/** Links to directories without their slash, which nginx redirects: relative for one host, absolute for another. */
function entryPage({ git, postgresql, python }: Origins): string {
  const links = [git, `${git}/howto`, `${git}/technical`, postgresql, python, `${python}/tutorial`];
  return links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
}
