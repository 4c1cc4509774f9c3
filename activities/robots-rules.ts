import { readRobots } from '../db/robots.ts';
import { decodeRobots, parseRobots, productTokenOf, type RobotsRules } from '../domain/robots.ts';
import type { RobotsState } from '../db/claim.ts';
import type { ActivityDeps } from './deps.ts';

/** The rules that a claim's robots.txt has for us, parsed once a version and process. */
export async function robotsRulesOf(
  { db, robotsCache }: ActivityDeps,
  { robotsId, version, origin }: RobotsState,
  userAgent: string,
): Promise<RobotsRules> {
  const token = productTokenOf(userAgent);
  const key = `${String(robotsId)} ${String(version)} ${token}`;
  const cached = robotsCache.get(key);
  if (cached !== undefined) return cached;

  const stored = robotsId === null ? undefined : await readRobots(db, robotsId);
  if (stored === undefined)
    throw new Error(`No robots.txt of ${origin} is stored, though a claim relied on it`);
  const rules = parseRobots(decodeRobots(stored.body ?? new Uint8Array()), token);
  robotsCache.set(key, rules);
  return rules;
}
