import { describe, expect, test } from 'vitest';
import { hostJson, hostsLines } from '../../cli/views/hosts-view.ts';
import type { ListedHost } from '../../db/list-hosts.ts';

const NOW = new Date('2026-08-01T12:00:00Z');

function aHost(otherwise: Partial<ListedHost> = {}): ListedHost {
  return {
    host: 'www.example.com',
    state: 'live',
    hold: null,
    nextAllowedAt: new Date(NOW.getTime() + 3_000),
    gapMs: 3_200,
    gapReason: {
      base: { kind: 'fetchTime', gapFactor: 10, fetchMs: 320 },
      doublings: 0,
      block: null,
    },
    queued: 1_204,
    queuedIsMore: false,
    assigned: 20,
    pages: 318,
    lastFetch: { outcome: 'fetched', status: 200, reason: null, at: new Date(NOW.getTime() - 200) },
    timeLeftMs: 3_916_800,
    ...otherwise,
  };
}

const held = aHost({
  host: 'a-host-with-quite-a-long-name.of-somebody.example.org',
  state: 'held',
  hold: { who: 'kim', why: 'their admin\u001b[2J wrote', since: NOW, until: null },
});

function drawn(width: number): readonly string[] {
  return hostsLines([aHost(), held], { width, colours: false, nowMs: NOW.getTime() });
}

describe('the table of hosts', () => {
  test.each([40, 80, 200])('is no wider than %i columns, a line a host', (width) => {
    const lines = drawn(width);
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[0]).toContain('STATE');
    expect(lines[2]).toContain('held');
  });

  test('has everything where there is room, who paused a host and why too', () => {
    const text = drawn(Number.POSITIVE_INFINITY).join('\n');
    for (const said of ['in 3 s', '10 × 320 ms', '1,204 + 20', '318', 'fetched 200', '1 h 5 min']) {
      expect(text).toContain(said);
    }
    expect(text).toContain('kim, "their admin?[2J wrote", until resumed');
  });

  test('lets nothing through that a terminal would obey', () => {
    expect(drawn(200).join('')).not.toContain('\u001b');
  });
});

test('a host as JSON has ISO instants', () => {
  expect(JSON.parse(hostJson(aHost()))).toMatchObject({
    kind: 'host',
    nextAllowedAt: '2026-08-01T12:00:03.000Z',
    gapBecause: '10 × 320 ms',
  });
});
