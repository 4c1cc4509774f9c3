import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

// Stands where the worker process stands, for tests of the supervisor alone: notes that it started and that it was
// asked to stop, and leaves when its supervisor is gone.

const { DECORUM_WARC_DIR = '.', DECORUM_WORKER_SLOT = '', TEMPORAL_ADDRESS = '' } = process.env;

const note = (event: string): void => {
  appendFileSync(
    join(DECORUM_WARC_DIR, 'stand-in.log'),
    `${event} ${DECORUM_WORKER_SLOT} ${TEMPORAL_ADDRESS}\n`,
  );
};

note('started');
process.on('SIGTERM', () => {
  note('stopped');
  process.exit(0);
});
process.on('disconnect', () => {
  note('orphaned');
  process.exit(0);
});
setInterval(() => undefined, 60_000);
