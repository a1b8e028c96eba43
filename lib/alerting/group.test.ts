import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Instance } from '@/lib/alerting/evaluate';
import { acknowledge, advanceGroup, type Group, type GroupView, type Notice, newGroup, type Timing } from '@/lib/alerting/group';

const timing: Timing = { groupWaitMs: 0, groupIntervalMs: 300_000, repeatMs: 3_600_000, escalate: null };
const alert = (server: string, openedAtMs = 0): Instance => ({
  kind: 'breach',
  phase: 'firing',
  labels: { server },
  sinceMs: openedAtMs,
  openedAtMs,
  lastBreachMs: openedAtMs,
  value: 1,
  group: 'g',
});
const view = (part: Partial<GroupView>): GroupView => ({ visible: [], held: [], closed: [], missed: [], ...part });

function run(steps: readonly (readonly [number, Partial<GroupView>])[], using: Timing = timing) {
  let group: Group = newGroup('r', 'g');
  const notices: (Notice & { atMs: number })[] = [];
  for (const [atMs, part] of steps) {
    const [next, notice] = advanceGroup(group, view(part), using, atMs);
    group = next;
    if (notice !== null) notices.push({ ...notice, atMs });
  }
  return { group, notices, kinds: notices.map(({ kind, atMs }) => `${kind}@${atMs}`) };
}

test('one notification opens, one resolves', () => {
  expect(
    run([
      [0, { visible: [alert('a')] }],
      [1000, { visible: [alert('a')] }],
      [2000, {}],
      [3000, {}],
    ]).kinds,
  ).toEqual(['open@0', 'resolve@2000']);
});

test('what resolves within the group wait is not told at all', () => {
  expect(
    run(
      [
        [0, { visible: [alert('a')] }],
        [29_999, {}],
      ],
      { ...timing, groupWaitMs: 30_000 },
    ).kinds,
  ).toEqual([]);
});

test('alerts that join are told once per group interval', () => {
  const { kinds } = run([
    [0, { visible: [alert('a')] }],
    [1000, { visible: [alert('a'), alert('b', 1000)] }],
    [299_999, { visible: [alert('a'), alert('b', 1000)] }],
    [300_000, { visible: [alert('a'), alert('b', 1000)] }],
    [600_000, { visible: [alert('a'), alert('b', 1000)] }],
  ]);
  expect(kinds).toEqual(['open@0', 'update@300000']);
});

test('what goes on is repeated, until somebody acknowledges', () => {
  const { group, kinds } = run([
    [0, { visible: [alert('a')] }],
    [3_599_999, { visible: [alert('a')] }],
    [3_600_000, { visible: [alert('a')] }],
  ]);
  expect(kinds).toEqual(['open@0', 'repeat@3600000']);
  const acked = acknowledge(group, 0, 'kim', 3_700_000);
  expect(acked).not.toBeNull();
  if (acked === null) return;
  expect(advanceGroup(acked, view({ visible: [alert('a')] }), timing, 9_000_000)[1]).toBeNull();
  expect(advanceGroup(acked, view({}), timing, 9_000_001)[1]?.kind).toBe('resolve');
});

test('an acknowledgement holds for its own episode only, and once', () => {
  const { group } = run([[0, { visible: [alert('a')] }]]);
  expect(acknowledge(group, 2, 'kim', 1)).toBeNull();
  const acked = acknowledge(group, 0, 'kim', 1);
  expect(acked === null ? null : acknowledge(acked, 1, 'lee', 2)).toBeNull();
});

test('what nobody acknowledges escalates once, and its resolve says so', () => {
  const escalating = { ...timing, escalate: { afterMs: 900_000, channels: ['second'] } };
  const { notices, kinds } = run(
    [
      [0, { visible: [alert('a')] }],
      [899_999, { visible: [alert('a')] }],
      [900_000, { visible: [alert('a')] }],
      [1_000_000, { visible: [alert('a')] }],
      [1_100_000, {}],
    ],
    escalating,
  );
  expect(kinds).toEqual(['open@0', 'escalate@900000', 'resolve@1100000']);
  expect(notices.map(({ escalated }) => escalated)).toEqual([false, true, true]);
});

test('a silenced alert is told when its silence ends, and not before', () => {
  expect(
    run([
      [0, { held: [alert('a')] }],
      [5000, { visible: [alert('a')] }],
    ]).kinds,
  ).toEqual(['open@5000']);
});

test('a silence that begins after the opening neither resolves nor loses the resolve', () => {
  const steps = [
    [0, { visible: [alert('a')] }],
    [1000, { held: [alert('a')] }],
    [9_000_000, { held: [alert('a')] }],
    [9_000_001, {}],
  ] as const;
  expect(run(steps).kinds).toEqual(['open@0', 'resolve@9000001']);
});

test('what came and went unevaluated is told once, as over', () => {
  const missed = [
    { group: 'g', labels: { server: 'a' }, openedAtMs: 10, closedAtMs: 20 },
    { group: 'g', labels: { server: 'b' }, openedAtMs: 5, closedAtMs: 15 },
  ];
  const { notices } = run([
    [100, { missed }],
    [200, {}],
  ]);
  expect(notices).toMatchObject([{ kind: 'missed', startedAtMs: 5, endedAtMs: 20, atMs: 100 }]);
});

test('law: an episode opens once and resolves once; silences change when, never whether it resolves', () => {
  const step = fc.record({
    firing: fc.boolean(),
    silenced: fc.boolean(),
    delta: fc.integer({ min: 0, max: 5_000_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.constantFrom(0, 30_000), (steps, groupWaitMs) => {
      let now = 0;
      const run_ = steps.map(({ firing, silenced, delta }) => {
        now += delta;
        const alerts = firing ? [alert('a', now)] : [];
        return [now, silenced ? { held: alerts } : { visible: alerts }] as const;
      });
      const { notices } = run([...run_, [now + 1, {}]], { ...timing, groupWaitMs });
      let isOpen = false;
      for (const { kind } of notices) {
        if (kind === 'open') expect(isOpen).toBe(false);
        else expect(isOpen).toBe(true);
        isOpen = kind !== 'resolve';
      }
      expect(isOpen).toBe(false);
    }),
  );
});
