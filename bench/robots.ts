import { decodeRobots, MAX_ROBOTS_BYTES, parseRobots, robotsVerdict } from '../domain/robots.ts';
import { parseRequestUrl, type RequestUrl } from '../domain/request-url.ts';

/**
 * What a hostile robots.txt costs: CPU time to read the file, and to judge one URL by it. Each file is read whole and by
 * half, each URL judged at 2,000 and at 4,000 letters: doubling either must not cost more than 2.5 times as much. Neither
 * reading a whole file nor judging a URL as long as a link may be must hold the event loop for more than 50 ms.
 */
const MOST_GROWTH = 2.5;
const MOST_MS = 50;
/** Below this, the clock and its neighbours are measured, not the work. */
const NOISE_MS = 5;
const ROUNDS = 15;
/** For what stands before the hostile line. */
const ROOM_BYTES = 100;

interface Hostile {
  readonly name: string;
  /** The file at so many bytes. */
  readonly file: (bytes: number) => string;
  readonly allowed?: boolean;
}

const FILES: readonly Hostile[] = [
  { name: '35,000 rules with a wildcard', file: filled(() => 'Disallow: /*x\n') },
  { name: '27,000 different ones', file: filled((n) => `Disallow: /*x${String(n)}\n`) },
  { name: 'that differ late', file: filled((n) => `Disallow: /*aaaaab${String(n)}\n`) },
  { name: 'that begin and end like the URL', file: filled((n) => `Disallow: /a${String(n)}$\n`) },
  {
    name: 'that forbid all',
    file: filled((n) => `Disallow: /*${'*a'.repeat(n % 9)}\n`),
    allowed: false,
  },
  {
    name: 'one line of letters',
    file: (bytes) => `User-agent: *\nDisallow: /${'a'.repeat(bytes)}`,
  },
  {
    name: 'one line of escapes',
    file: (bytes) => `User-agent: *\nDisallow: /${'%61'.repeat(bytes / 3)}`,
  },
  {
    name: 'one line of percent signs',
    file: (bytes) => `User-agent: *\nDisallow: /${'%'.repeat(bytes)}`,
  },
  {
    name: 'one line of stars',
    file: (bytes) => `User-agent: *\nDisallow: /${'a*'.repeat(bytes / 2)}b`,
  },
  {
    name: 'letters of two octets',
    file: (bytes) => `User-agent: *\nDisallow: /${'ö'.repeat(bytes / 2)}`,
  },
  { name: '36,000 agents', file: filled((n) => `User-agent: x${String(n % 10)}\n`) },
  {
    name: 'groups of one rule',
    file: filled((n) => (n % 2 === 0 ? 'User-agent: *\n' : 'Allow: /b\n')),
  },
  { name: '25,000 sitemaps', file: filled((n) => `Sitemap: /${String(n)}\n`) },
  { name: 'blank lines', file: filled(() => '\n') },
  { name: 'other letters, index files', file: filled((n) => `Allow: /ö${String(n)}/index.html\n`) },
  { name: 'tags', file: (bytes) => '<br'.repeat(bytes / 3) },
];

console.log(`${'CPU ms'.padEnd(32)} read half  whole   judge 2,000  4,000 letters`);
const tooSteep: string[] = [];
const tooLong: string[] = [];
for (const hostile of FILES) {
  const [half, whole] = calmly(() =>
    [MAX_ROBOTS_BYTES / 2, MAX_ROBOTS_BYTES].map((bytes) => reading(hostile, bytes)),
  );
  const [short, long] = calmly(() => [2_000, 4_000].map((letters) => judging(hostile, letters)));
  const steps = [half, whole, short, long].map((ms) => (ms ?? 0).toFixed(2).padStart(9));
  console.log(hostile.name.padEnd(32), ...steps);
  if (isSteep(half, whole) || isSteep(short, long)) tooSteep.push(hostile.name);
  if (Math.max(whole ?? 0, short ?? 0) > MOST_MS) tooLong.push(hostile.name);
}
if (tooSteep.length > 0) throw new Error(`More than linear: ${tooSteep.join('; ')}`);
if (tooLong.length > 0) throw new Error(`More than ${String(MOST_MS)} ms: ${tooLong.join('; ')}`);

function reading({ file }: Hostile, bytes: number): number {
  const body = Buffer.from(file(bytes - ROOM_BYTES));
  return leastMs(() => parseRobots(decodeRobots(body), 'Decorum'));
}

function judging({ name, file, allowed = true }: Hostile, letters: number): number {
  const rules = parseRobots(file(MAX_ROBOTS_BYTES - ROOM_BYTES), 'Decorum');
  const url = parseRequestUrl(`https://a.test/${'a'.repeat(letters)}`) as RequestUrl;
  if (robotsVerdict(rules, url).allowed !== allowed) throw new Error(`${name}: the wrong verdict`);
  return leastMs(() => robotsVerdict(rules, url));
}

/** Of several rounds the one that was disturbed least. */
function leastMs(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

/** Measured again where others may have disturbed it. */
function calmly(measure: () => readonly number[], again = 3): readonly number[] {
  const measured = measure();
  return again > 0 && isSteep(...measured) ? calmly(measure, again - 1) : measured;
}

function isSteep(once = 0, twice = 0): boolean {
  return twice > NOISE_MS && twice > MOST_GROWTH * once;
}

function filled(line: (n: number) => string): (bytes: number) => string {
  return (bytes) => {
    let file = 'User-agent: *\n';
    for (let n = 0; file.length < bytes; n += 1) file += line(n);
    return file.slice(0, file.lastIndexOf('\n', bytes) + 1);
  };
}
