import type { Surroundings } from '../config.ts';
import { installedTemporalCli, TEMPORAL_CLI_VERSION, versionOfCli } from '../temporal-cli.ts';
import { fault, ok, reasonOf, warning, type Finding } from './finding.ts';

const NAME = 'Temporal CLI';

/** Whether the program is there that the embedded Temporal needs. Downloads and builds nothing. */
export async function temporalCliFinding(surroundings: Surroundings): Promise<Finding> {
  try {
    const program = await installedTemporalCli(surroundings);
    if (program !== undefined) return ok(NAME, `${await versionOfCli(program)}, ${program}`);
    return warning(
      NAME,
      'none: the first crawl downloads it or builds it with Go',
      `install Temporal's command line ${TEMPORAL_CLI_VERSION} (https://docs.temporal.io/cli), if this machine has no network`,
    );
  } catch (error) {
    return fault(NAME, reasonOf(error), 'correct TEMPORAL_CLI, or unset it');
  }
}
