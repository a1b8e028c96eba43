import { expect, test } from 'vitest';
import { Turns } from '@/lib/store/turns';

const settled = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

test('turns come in the order in which they were taken', async () => {
  const turns = new Turns();
  const come: string[] = [];
  const [a, b, c] = [turns.take(), turns.take(), turns.take()];
  void c.mine.then(() => come.push('c'));
  void b.mine.then(() => come.push('b'));
  void a.mine.then(() => come.push('a'));
  await settled();
  expect(come).toEqual(['a']);
  a.pass();
  await settled();
  expect(come).toEqual(['a', 'b']);
  b.pass();
  await settled();
  expect(come).toEqual(['a', 'b', 'c']);
});

test('who gives up before its turn lets nobody overtake those before it', async () => {
  const turns = new Turns();
  const [a, b, c] = [turns.take(), turns.take(), turns.take()];
  let hasCome = false;
  void c.mine.then(() => {
    hasCome = true;
  });
  b.pass();
  await settled();
  expect(hasCome).toBe(false);
  a.pass();
  await settled();
  expect(hasCome).toBe(true);
});
