import { describe, expect, test } from 'vitest';
import { Command } from 'commander';
import { parseName } from '../../cli/settings/option-values.ts';
import { crawlOptions } from '../../cli/settings/options.ts';

/** The options as an action gets them; commander's message where one is refused. */
function typed(...words: string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of crawlOptions()) command.addOption(option);
  try {
    return command.parse(words, { from: 'user' }).opts();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

test('what is not typed is absent, so that a crawl keeps its settings', () => {
  expect(typed()).toEqual({});
});

test.each<[words: string, options: object]>([
  ['--scope domain', { scope: 'domain' }],
  ['--pages 50', { pages: 50 }],
  ['--pages none', { pages: 'none' }],
  ['--depth 0', { depth: 0 }],
  ['--depth 3', { depth: 3 }],
  ['--time 90s', { time: 90_000 }],
  ['--time 1h30m', { time: 5_400_000 }],
  ['--contact https://you.example/bot', { contact: 'https://you.example/bot' }],
  ['--contact mailto:you@you.example', { contact: 'mailto:you@you.example' }],
  ['--min-gap 100ms', { minGap: 100 }],
  ['--gap-factor 0', { gapFactor: 0 }],
  ['--gap-factor 2.5', { gapFactor: 2.5 }],
  ['--priority path:/blog/*=1', { priority: ['path:/blog/*=1'] }],
  [
    '--priority host:a.test,b.test=1 --priority depth:>3=3',
    { priority: ['host:a.test,b.test=1', 'depth:>3=3'] },
  ],
  ['--priority none', { priority: [] }],
  ['--bands 8', { bands: 8 }],
  ['--dns 127.0.0.1:5353', { dns: ['127.0.0.1:5353'] }],
  ['--dns 127.0.0.1 --dns ::1', { dns: ['127.0.0.1:53', '[::1]:53'] }],
  ['--dns 127.0.0.1:5353,[::1]:5353', { dns: ['127.0.0.1:5353', '[::1]:5353'] }],
  ['--allow-private', { allowPrivate: true }],
  ['--allow-range 10.1.2.3/8,FD00::/8,::1', { allowRange: ['10.0.0.0/8', 'fd00::/8', '::1/128'] }],
  ['--allow-range none', { allowRange: [] }],
  ['--put-off-wait 90m', { putOffWait: 5_400_000 }],
  ['--retries 1h,6h,24h', { retries: [3_600_000, 21_600_000, 86_400_000] }],
  ['--retries none', { retries: [] }],
  ['--robots-wait 24h', { robotsWait: 86_400_000 }],
  ['--no-wait', { wait: false }],
  ['--wait', { wait: true }],
  ['--visit-pages 20', { visitPages: 20 }],
  ['--live-hosts 10', { liveHosts: 10 }],
  ['--connect-timeout 2s --page-timeout 1m', { connectTimeout: 2_000, pageTimeout: 60_000 }],
  ['--max-bytes 500kB', { maxBytes: 500_000 }],
  ['--max-bytes 1.5MB', { maxBytes: 1_500_000 }],
  ['--skip-types Video/*,application/zip', { skipTypes: ['application/zip', 'video/*'] }],
  ['--skip-types none', { skipTypes: [] }],
  ['--tls lenient', { tls: 'lenient' }],
])('%s is understood', (words, options) => {
  expect(typed(...words.split(' '))).toEqual(options);
});

test.each<[flag: string, value: string, remedy: RegExp]>([
  ['--scope', 'site', /Allowed choices are host, domain, prefix, any/],
  ['--pages', '0', /a whole number of 1 or more/],
  ['--pages', '-5', /a whole number/],
  ['--pages', '1e3', /a whole number/],
  ['--pages', '99999999999999999999', /a whole number/],
  ['--depth', 'deep', /a whole number/],
  ['--time', 'soon', /500ms, 90s, 15m, 2h/],
  ['--contact', 'you@you.example', /mailto:/],
  ['--contact', 'ftp://you.example', /a web page or a mail address/],
  ['--contact', 'https://you.example/a (b)', /a web page or a mail address/],
  ['--user-agent', '(none)', /begin with the name/],
  ['--user-agent', 'Bot\nEvil: yes', /begin with the name/],
  ['--min-gap', '-1s', /500ms, 90s/],
  ['--gap-factor', '-1', /a number of 0 or more/],
  ['--gap-factor', 'NaN', /a number of 0 or more/],
  ['--gap-factor', '1e9999', /a number of 0 or more/],
  ['--allow-range', '10.0.0.0/33', /10\.0\.0\.0\/8,fd00::\/8/],
  ['--allow-range', 'localhost', /addresses or ranges/],
  ['--pages', 'ten', /a whole number/],
  ['--user-agent', '', /begin with the name/],
  ['--bands', '9', /from 1 to 8/],
  ['--weights', '4,two', /one number a band/],
  ['--weights', '0,0', /not all of them 0/],
  ['--weights', '1,1,1,1,1,1,1,1,1', /one number a band/],
  ['--bands', '0', /1 or more/],
  ['--priority', 'path:/blog/*', /RULE=BAND/],
  ['--priority', 'path:/blog/*=9', /a band from 1 to 8/],
  ['--priority', 'colour:red=1', /host:www\.example\.org/],
  ['--dns', 'dns.example:53', /an IP address and a port/],
  ['--dns', '127.0.0.1:99999', /an IP address and a port/],
  ['--dns', '', /an IP address and a port/],
  ['--retries', '1h,,2h', /500ms, 90s/],
  ['--visit-pages', '2.5', /a whole number/],
  ['--live-hosts', '0', /a whole number of 1 or more/],
  ['--connect-timeout', '0s', /longer than 0/],
  ['--page-timeout', '3000000000ms', /at most 24d/],
  ['--skip-types', 'video', /video\/\*,application\/zip/],
  ['--skip-types', '*/*', /video\/\*,application\/zip/],
  ['--tls', 'off', /Allowed choices are strict, lenient/],
  ['--max-bytes', '5 gigs', /500kB or 5MB/],
  ['--max-bytes', '0', /500kB or 5MB/],
])('%s "%s" is refused, with the value and the remedy [SIZ09]', (flag, value, remedy) => {
  const message = typed(`${flag}=${value}`);
  expect(message).toMatch(remedy);
  expect(message).toContain(`'${value}'`);
  expect(message).toContain(flag);
});

describe('a name of a crawl', () => {
  test.each(['default', 'docs-2026', 'a.b_c', '0'])('%s is fine', (name) => {
    expect(parseName(name)).toBe(name);
  });

  test.each(['', '-x', '../x', 'a b', 'a/b', 'x'.repeat(64), 'é'])('"%s" is none', (name) => {
    expect(() => parseName(name)).toThrow(/1 to 63 letters/);
  });
});
