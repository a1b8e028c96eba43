import { expect, test } from 'vitest';
import { breakerWords } from '@/components/proxy/breaker-words';

test.each([
  [null, /^Shadow judged too few attempts/],
  [0, /^In shadow 0 % of .*: above 50.0 % within a minute/],
  [0.2, /^In shadow 20.0 % of .*: above 60.0 % within a minute/],
  [0.34, /^In shadow 34.0 % of .*: no rate trips the breaker\.$/],
])('a predicted rate of %s', (rate, words) => {
  expect(breakerWords(rate)).toMatch(words);
});
