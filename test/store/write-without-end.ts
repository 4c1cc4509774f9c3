import { randomBytes } from 'node:crypto';
import { openWarcStore } from '../../store/warc-store.ts';
import { anExchange } from './an-exchange.ts';

/** Run as a process of its own, to be killed: writes four pages at a time into a folder, and prints each one's place. */
const warc = await openWarcStore({ dir: process.argv[2] ?? '', slot: 'w1' });

async function writePages(): Promise<never> {
  for (;;) {
    const place = await warc.write(anExchange({ rawBody: randomBytes(500_000) }));
    process.stdout.write(`${JSON.stringify(place)}\n`);
  }
}

await Promise.all(Array.from({ length: 4 }, writePages));
