import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { holdHost } from '../../db/holds.ts';
import type { HostKey } from '../../domain/host-key.ts';
import { instant } from '../views/quantities.ts';
import { newCommand, withCommonOptions } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { hint } from '../hints.ts';
import { parseHost } from './host-argument.ts';
import type { CommandIo } from '../io.ts';
import { withLiveControl } from './live-control.ts';
import { parseLimit, parseText } from '../settings/option-values.ts';
import type { CommonFlags } from '../settings/options.ts';
import { requireCrawls, withSession } from '../session.ts';

interface PauseFlags extends CommonFlags {
  readonly why: string;
  readonly until?: number;
}

/** `pause HOST --why TEXT [--until DURATION]`: nothing is fetched from the host until it is resumed. */
export function pauseCommand(io: CommandIo): Command {
  const command = newCommand('pause', {
    description: 'Stop fetching from a host; the fetch in flight completes, nothing is lost.',
    examples: [
      ['decorum pause www.example.com --why "their admin wrote"', 'until "decorum resume --host"'],
      ['decorum pause www.example.com --why "backup at night" --until 8h', 'for eight hours'],
    ],
  })
    .argument('<host>', 'the host name, as in the URLs', parseHost)
    .requiredOption(
      '--why <text>',
      'the reason; shown by status, why and the Temporal UI',
      parseText,
    )
    .option('--until <duration>', 'go on by itself after this time, such as 8h', parseLimit);
  return withCommonOptions(command).action(async (host: HostKey, flags: PauseFlags) => {
    await requireCrawls(flags);
    await withSession(flags, { need: 'database' }, io, async (session) => {
      const { db, terminal } = session;
      const until = flags.until === undefined ? undefined : new Date(Date.now() + flags.until);
      const hold = { who: operator(), why: flags.why, ...(until === undefined ? {} : { until }) };
      // The row first: it alone refuses the host's next claim, whether or not a workflow listens.
      const sequence = await holdHost(db, host, hold);
      await withLiveControl(session, (control) => control.pauseHost(host, hold, sequence));
      if (flags.json === true) {
        terminal.print(JSON.stringify({ kind: 'paused', host, ...hold, sequence }));
        return;
      }
      const end =
        until === undefined
          ? `resume it with: ${hint(['resume', '--host', host], flags.data)}`
          : `until ${instant(until)}`;
      terminal.print(`${host} is paused; ${end}`);
    });
    io.ended(EXIT.finished);
  });
}

/** Who types: the login name, as people know each other on a machine. */
export function operator(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return 'operator';
  }
}
