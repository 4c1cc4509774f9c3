import { robotsLines, type RobotsLine } from './robots-file.ts';

/** What a robots.txt says to one crawler. */
export interface RobotsGroup {
  /** Whom the rules are for: those that name us, everyone, or nobody where the file has neither. */
  readonly of: 'us' | 'everyone' | 'nobody';
  readonly rules: readonly RobotsLine[];
  /** The values of its `Crawl-delay` lines, unread. */
  readonly crawlDelays: readonly string[];
  /** The values of the file's `Sitemap` lines, each once: they belong to no group (RFC 9309 §2.2.4). */
  readonly sitemaps: readonly string[];
}

/**
 * All groups that name the product token taken together, or all groups of `*` where none does; a group without rules
 * counts as named (RFC 9309 §2.2.1).
 */
export function groupFor(productToken: string, body: string): RobotsGroup {
  const ourToken = tokenOf(productToken);
  const ours = new Gathering('us');
  const everyones = new Gathering('everyone');
  const open = new Set<Gathering>();
  const sitemaps = new Set<string>();
  let ruleSeen = false;

  for (const line of robotsLines(body)) {
    switch (line.kind) {
      case 'agent':
        // A new group starts at an agent line that follows a rule; no other kind of line ends one.
        if (ruleSeen) open.clear();
        ruleSeen = false;
        if (isStar(line.value)) open.add(everyones.named());
        if (ourToken !== '' && tokenOf(line.value) === ourToken) open.add(ours.named());
        break;
      case 'allow':
      case 'disallow':
        ruleSeen = true;
        for (const group of open) group.rules.push(line);
        break;
      case 'crawlDelay':
        for (const group of open) group.crawlDelays.push(line.value);
        break;
      case 'sitemap':
        if (line.value !== '') sitemaps.add(line.value);
        break;
    }
  }
  const { of, rules, crawlDelays } = ours.of === 'us' ? ours : everyones;
  return { of, rules, crawlDelays, sitemaps: [...sitemaps] };
}

/** The product token of a User-Agent: its leading letters, hyphens and underscores (RFC 9309 §2.2.1). */
export function productTokenOf(userAgent: string): string {
  return /^[A-Za-z_-]*/u.exec(userAgent.trim())?.[0] ?? '';
}

class Gathering {
  readonly #whose: 'us' | 'everyone';
  readonly rules: RobotsLine[] = [];
  readonly crawlDelays: string[] = [];
  of: RobotsGroup['of'] = 'nobody';

  constructor(whose: 'us' | 'everyone') {
    this.#whose = whose;
  }

  named(): this {
    this.of = this.#whose;
    return this;
  }
}

function isStar(agent: string): boolean {
  return agent === '*' || agent.startsWith('* ') || agent.startsWith('*\t');
}

/** For comparing, without regard to case; a version or a remark may follow the token. */
function tokenOf(agent: string): string {
  return productTokenOf(agent).toLowerCase();
}
