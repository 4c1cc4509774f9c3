/** Requests that only one of two walkers makes, for a reason that is none of Decorum's faults. */
export interface DifferenceRule {
  readonly only: 'wget' | 'decorum';
  /** Matched against host, path and status, such as `git-doc.localhost/git.html 200`. */
  readonly request: RegExp;
  readonly reason: string;
}

export const DIFFERENCE_RULES: readonly DifferenceRule[] = [
  {
    only: 'decorum',
    request: /^postgresql-doc\.localhost\/sql-droptable\.html 200$/u,
    reason:
      'Of two rules that match, the longer one wins (RFC 9309 §2.2.2): `Allow: /sql-droptable.html`. ' +
      'wget takes the first: `Disallow: /sql-drop`.',
  },
  {
    only: 'wget',
    request: /^git-doc\.localhost\/git-svn\.html 200$/u,
    reason:
      'The page is disallowed, and another redirects to it. wget judges links by robots.txt before it asks, ' +
      'yet follows a redirect unasked; Decorum judges the target like any URL.',
  },
];

/** How two sets of requests differ, in the form that rules are matched against. */
export interface Comparison {
  /** Differences without a rule. */
  readonly unmatched: readonly string[];
  /** Rules that match no difference, by their reason. */
  readonly idle: readonly string[];
  readonly inBoth: number;
}

/** Compares what both asked for and were answered. */
export function compareRequests(
  byWget: Iterable<string>,
  byDecorum: Iterable<string>,
  rules: readonly DifferenceRule[] = DIFFERENCE_RULES,
): Comparison {
  const wget = new Set(byWget);
  const decorum = new Set(byDecorum);
  const differences = [
    ...[...wget].filter((one) => !decorum.has(one)).map((one) => ({ only: 'wget', one })),
    ...[...decorum].filter((one) => !wget.has(one)).map((one) => ({ only: 'decorum', one })),
  ];
  const isMatched = ({ only, request }: DifferenceRule, found: { only: string; one: string }) =>
    only === found.only && request.test(found.one);
  return {
    unmatched: differences
      .filter((found) => !rules.some((rule) => isMatched(rule, found)))
      .map(({ only, one }) => `only ${only}: ${one}`),
    idle: rules
      .filter((rule) => !differences.some((found) => isMatched(rule, found)))
      .map(({ reason }) => reason),
    inBoth: [...wget].filter((one) => decorum.has(one)).length,
  };
}
