import { expect, test } from 'vitest';
import { tellerOf } from './teller.js';

const problem = { code: 'internal', message: 'm' } as const;

test.each([
  {
    name: 'throws',
    fail: () => {
      throw new Error('listener');
    },
  },
  { name: 'fails later', fail: () => Promise.reject(new Error('listener')) },
])('a listener that $name is heard and harms nobody', async ({ fail }) => {
  const heard: unknown[] = [];
  tellerOf((told) => {
    heard.push(told);
    return fail();
  })(problem);
  await new Promise(setImmediate);
  expect(heard).toEqual([problem]);
});
