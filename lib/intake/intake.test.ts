import { expect, test } from 'vitest';
import { Intake } from '@/lib/intake/intake';
import type { RecordToStore } from '@/lib/store/record-to-store';

/** Of what the store was given, in order: the servers of each group, each once. */
function intakeInto(groups: string[][], onStore: (records: readonly RecordToStore[]) => void = () => undefined): Intake {
  return new Intake({
    store: async (records: readonly RecordToStore[]) => {
      onStore(records);
      groups.push([...new Set(records.map(({ server }) => server))]);
      return { duplicates: new Set(), refused: new Map() };
    },
    sessionRef: (_server, token) => token,
    now: () => 0,
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

test('nor while one of another server of the same sender is', async () => {
  const groups: string[][] = [];
  const intake = intakeInto(groups);
  const sender = { id: 'one', project: null };
  const noisy = Array.from({ length: 4 }, () => intake.submit(boots('noisy', 20_000), sender));
  await Promise.all([...noisy, intake.submit(boots('quiet', 1), sender)]);
  expect(groups).toEqual([['quiet'], ...noisy.map(() => ['noisy'])]);
});

test('batches of one server are stored in the order of the calls, however large the first', async () => {
  const nodes: (string | null)[] = [];
  const intake = intakeInto([], (records) => nodes.push(...new Set(records.map(({ node }) => node))));
  const of = (node: string, count: number) => boots('one', count).map((record) => ({ ...record, node }));
  await Promise.all([intake.submit(of('first', 20_000)), intake.submit(of('second', 1))]);
  expect(nodes).toEqual(['first', 'second']);
});

test('what is being read takes the room that it will wait in, and gives it back', async () => {
  const intake = intakeInto([]);
  const first = intake.submit(boots('noisy', 100_000));
  expect(intake.depth).toBe(100_000);
  await expect(intake.submit(boots('noisy', 10_000))).rejects.toMatchObject({ code: 'intake_full' });
  expect(await intake.submit(boots('quiet', 1))).toMatchObject({ accepted: 1 });
  expect(await first).toMatchObject({ accepted: 100_000 });
  expect(await intake.submit([{ type: 'nonsense' }])).toMatchObject({ accepted: 0 });
  expect(intake.depth).toBe(0);
});

test('senders share the values of arrays that are read at a time, and have them back', async () => {
  const intake = intakeInto([]);
  const array = `[[${'0,'.repeat(2_400_000)}0]]`;
  const noisy = Array.from({ length: 3 }, () => intake.submitText(array, null, { id: 'noisy', project: null }));
  const quiet = intake.submitText(array, null, { id: 'quiet', project: null });
  const outcomes = await Promise.allSettled([...noisy, quiet]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[2]).toMatchObject({ reason: { code: 'intake_full' } });
  expect(await intake.submitText(array, null, { id: 'noisy', project: null })).toMatchObject({ rejected: [{ index: 0 }] });
});
