import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressesOf } from '../../web/srcset.ts';

test.each([
  ['a.jpg 1x, b.jpg 2x', ['a.jpg', 'b.jpg']],
  ['a.jpg', ['a.jpg']],
  ['a.jpg, b.jpg', ['a.jpg', 'b.jpg']],
  ['a.jpg 480w,b.jpg 800w 600h', ['a.jpg', 'b.jpg']],
  ['a,b.jpg 1x', ['a,b.jpg']],
  ['data:image/png;base64,AAA= 1x, b.jpg', ['data:image/png;base64,AAA=', 'b.jpg']],
  ['\n  a.jpg\t1x\n,\n b.jpg 2x ,', ['a.jpg', 'b.jpg']],
  ['a.jpg (x, y), b.jpg', ['a.jpg', 'b.jpg']],
  [', ,', []],
  ['', []],
])('%j names %j', (srcset, addresses) => {
  expect(addressesOf(srcset)).toEqual(addresses);
});

test('no text makes it throw or go on for ever, and no address has a blank', () => {
  const piece = fc.constantFrom('a', ',', ' ', '(', ')', '\n', '1x');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      for (const address of addressesOf(pieces.join(''))) expect(address).toMatch(/^[^\s,]\S*$/);
    }),
  );
});
