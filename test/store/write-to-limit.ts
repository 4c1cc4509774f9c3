import { randomBytes } from 'node:crypto';
import { openWarcStore } from '../../store/warc-store.ts';
import { anExchange } from './an-exchange.ts';

/** Run as a process whose files may not grow large: a small page, one over the limit, a small one again. */
const warc = await openWarcStore({ dir: process.argv[2] ?? '', slot: 'w1' });

async function tryWrite(bodyBytes: number): Promise<unknown> {
  try {
    await warc.write(anExchange({ rawBody: randomBytes(bodyBytes) }));
    return 'written';
  } catch (error) {
    return error instanceof Error ? error.cause : error;
  }
}

const outcomes = [await tryWrite(1_000), await tryWrite(1_000_000), await tryWrite(1_000)];
await warc.close();
process.stdout.write(JSON.stringify(outcomes));
