import { randomBytes } from 'node:crypto';
import { openWarcStore } from '../../store/warc-store.ts';
import { anExchange } from './an-exchange.ts';

/** Run as a process whose files may not grow large: writes pages of these sizes into a folder, one after the other. */
const [, , dir = '', ...sizes] = process.argv;
const warc = await openWarcStore({ dir, slot: 'w1' });

async function tryWrite(bodyBytes: number): Promise<unknown> {
  try {
    await warc.write(anExchange({ rawBody: randomBytes(bodyBytes) }));
    return 'written';
  } catch (error) {
    return error instanceof Error ? error.cause : error;
  }
}

const outcomes: unknown[] = [];
for (const size of sizes) outcomes.push(await tryWrite(Number(size)));
await warc.close();
process.stdout.write(JSON.stringify(outcomes));
