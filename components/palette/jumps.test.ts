import { expect, test } from 'vitest';
import { jumpsOf } from '@/components/palette/jumps';

test.each([
  ['', []],
  ['a', []],
  ['  E_1042 ', ['/attempts?q=E_1042']],
  ['a&b', ['/attempts?q=a%26b']],
  ['0123456789ABCDEF0123456789abcdef', ['/sessions/0123456789abcdef0123456789abcdef']],
  [
    '00000000-0000-4000-8000-00000000000a',
    ['/attempts/00000000-0000-4000-8000-00000000000a', '/findings/00000000-0000-4000-8000-00000000000a'],
  ],
])('%j leads to %j', (typed, hrefs) => {
  expect(jumpsOf(typed).map(({ href }) => href)).toEqual(hrefs);
});
