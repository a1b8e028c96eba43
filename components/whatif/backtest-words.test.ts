import { expect, test } from 'vitest';
import { backtestSentence } from '@/components/whatif/backtest-words';

test.each([
  [{ attempts: 0, newly_refused: 0, unverifiable: 0 }, 'a has no resume attempt in this range.'],
  [{ attempts: 7, newly_refused: 0, unverifiable: 0 }, 'Of 7 attempts on a, enforcement would have refused none that the server resumed.'],
  [
    { attempts: 2238, newly_refused: 1, unverifiable: 3 },
    'Of 2,238 attempts on a, enforcement would have refused 1 that the server resumed. 3 attempts could not be judged and would pass.',
  ],
])('%j is told in one sentence', (backtest, sentence) => {
  expect(backtestSentence({ server: 'a', ...backtest })).toBe(sentence);
});
