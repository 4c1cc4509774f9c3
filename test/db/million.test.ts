import { expect } from 'vitest';
import { admit } from '../../db/admit.ts';
import { test } from '../support/database.ts';
import { countOf, first, leaveOutbox, linkTo, runningCrawl } from './a-frontier.ts';

test('one million URLs that are admitted twice, in another order, are one million rows', async ({
  db,
}) => {
  const crawlId = await runningCrawl(db);
  const numbers = Uint32Array.from({ length: 1_000_000 }, (_, at) => at);
  let entered = 0;
  for (const pass of ['first', 'again']) {
    shuffle(numbers);
    for (let from = 0; from < numbers.length; from += 20_000) {
      const part = [...numbers.subarray(from, from + 20_000)];
      const links = part.map((n) => linkTo(`http://h${String(n % 7)}.test/${String(n)}`));
      await leaveOutbox(db, crawlId, { links });
      entered += (await admit(db, { crawlId, shard: 0 })).admitted;
    }
    expect(entered, pass).toBe(1_000_000);
  }
  expect(await countOf(db, 'url')).toBe(1_000_000);
  expect(await countOf(db, 'shard where known = 1000000')).toBe(1);
}, 600_000);

function shuffle(numbers: Uint32Array): void {
  for (let at = numbers.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    const kept = first([...numbers.subarray(at, at + 1)]);
    numbers[at] = first([...numbers.subarray(other, other + 1)]);
    numbers[other] = kept;
  }
}
