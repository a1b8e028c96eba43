import { expect, test } from 'vitest';
import { Intake } from '@/lib/intake/intake';
import type { RecordToStore } from '@/lib/store/record-to-store';

/** Of what the store was given, in order: the servers of each group, each once. */
function intakeInto(groups: string[][]): Intake {
  return new Intake({
    store: async (records: readonly RecordToStore[]) => {
      groups.push([...new Set(records.map(({ server }) => server))]);
      return { duplicates: new Set(), refused: new Map() };
    },
    sessionRef: (_server, token) => token,
    now: () => 0,
    isTrouble: () => false,
    isDiskFull: () => false,
    onStored: () => undefined,
  });
}

const boots = (server: string, count: number) => Array.from({ length: count }, () => ({ type: 'boot', server }));

test('a small batch does not wait while a large one of another sender is read', async () => {
  const groups: string[][] = [];
  const intake = intakeInto(groups);
  const large = intake.submit(boots('noisy', 20_000), { id: 'noisy', project: null });
  const small = intake.submit(boots('quiet', 1), { id: 'quiet', project: null });
  expect(await Promise.all([large, small])).toMatchObject([{ accepted: 20_000 }, { accepted: 1 }]);
  expect(groups).toEqual([['quiet'], ['noisy']]);
});

test('batches of one sender are stored in the order of the calls, however large the first', async () => {
  const groups: string[][] = [];
  const intake = intakeInto(groups);
  const sender = { id: 'one', project: null };
  await Promise.all([intake.submit(boots('first', 20_000), sender), intake.submit(boots('second', 1), sender)]);
  expect(groups).toEqual([['first'], ['second']]);
});
