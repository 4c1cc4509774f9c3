import { expect, test } from 'vitest';
import { refreshTarget } from '../../domain/refresh.ts';

test.each([
  ['0; url=/x', '/x'],
  ['5;URL=/x', '/x'],
  ['0,url=/x', '/x'],
  ['0 /x', '/x'],
  [';url=/x', '/x'],
  ['  3.5 ;  url = /x', '/x'],
  ["0; url='/x'", '/x'],
  ['0; url="/x"', '/x'],
  ["0; url='/x' trailing", '/x'],
  ["0; url='/x", '/x'],
  ["5 , URL = '../x' trailing", '../x'],
  ["0; url=/it's", "/it's"],
  ['0; url=/a;b', '/a;b'],
  ['0; urlx', 'urlx'],
])('%j leads to %s [LNK12, LNK14]', (content, target) => {
  expect(refreshTarget(content)).toBe(target);
});

test.each(['', '5', '5;', '  7  ', 'soon'])('%j only reloads', (content) => {
  expect(refreshTarget(content)).toBeUndefined();
});
