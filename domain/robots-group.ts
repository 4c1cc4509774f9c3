import { robotsLines, type RobotsLine } from './robots-file.ts';

/** What a robots.txt says to one crawler. */
export interface RobotsGroup {
  readonly rules: readonly RobotsLine[];
  /** The values of its `Crawl-delay` lines, unread. */
  readonly crawlDelays: readonly string[];
}

/**
 * All groups that name the product token taken together, or all groups of `*` where none does; a group without rules
 * counts as named (RFC 9309 §2.2.1).
 */
export function groupFor(productToken: string, body: string): RobotsGroup {
  const ours = new Gathering();
  const everyones = new Gathering();
  const open = new Set<Gathering>();
  let ruleSeen = false;

  for (const { kind, ...line } of robotsLines(body)) {
    switch (kind) {
      case 'agent':
        // A new group starts at an agent line that follows a rule; no other kind of line ends one.
        if (ruleSeen) open.clear();
        ruleSeen = false;
        if (isStar(line.value)) open.add(everyones.named());
        if (isSameToken(line.value, productToken)) open.add(ours.named());
        break;
      case 'allow':
      case 'disallow':
        ruleSeen = true;
        for (const group of open) group.rules.push({ kind, ...line });
        break;
      case 'crawlDelay':
        for (const group of open) group.crawlDelays.push(line.value);
        break;
      case 'sitemap':
        break;
    }
  }
  return ours.isNamed ? ours : everyones;
}

/** The product token of a User-Agent: its leading letters, hyphens and underscores (RFC 9309 §2.2.1). */
export function productTokenOf(userAgent: string): string {
  return /^[A-Za-z_-]*/u.exec(userAgent.trim())?.[0] ?? '';
}

class Gathering implements RobotsGroup {
  readonly rules: RobotsLine[] = [];
  readonly crawlDelays: string[] = [];
  isNamed = false;

  named(): this {
    this.isNamed = true;
    return this;
  }
}

function isStar(agent: string): boolean {
  return /^\*(?:[ \t]|$)/u.test(agent);
}

/** Compared without regard to case, up to the end of the token: a version or a remark may follow. */
function isSameToken(agent: string, productToken: string): boolean {
  const token = productTokenOf(agent).toLowerCase();
  return token !== '' && token === productTokenOf(productToken).toLowerCase();
}
