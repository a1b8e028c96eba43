import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATCH_UP_STEPS_MAX, catchUp, missedInstants } from '@/lib/alerting/catch-up';
import { evaluate, NEW_RULE_STATE } from '@/lib/alerting/evaluate';
import { advanceGroup, newGroup } from '@/lib/alerting/group';
import { ruleOf } from '@/lib/alerting/rule';
import type { Bucket } from '@/lib/alerting/sample';

const rule = ruleOf({ name: 'r', measure: 'unsafe_resume', threshold: 1, group_by: ['server'], window_s: 60 });
const bucket = (startMs: number, server: string, count = 1): Bucket => ({
  startMs,
  labels: { server },
  count,
  attempts: count,
  leadMin: null,
  lastMs: startMs,
});

test('the instants of an absence end now and are bounded', () => {
  expect(missedInstants(0, 10_000, 4000)).toEqual([4000, 8000, 10_000]);
  const long = missedInstants(0, 30 * 86_400_000, 15_000);
  expect(long.length).toBeLessThanOrEqual(CATCH_UP_STEPS_MAX);
  expect(long[long.length - 1]).toBe(30 * 86_400_000);
});

test('an alert that came and went during the absence is missed; one that still fires is open', () => {
  const buckets = [bucket(100_000, 'gone'), bucket(590_000, 'here')];
  const { effects, missed, state } = catchUp(rule, NEW_RULE_STATE, buckets, missedInstants(0, 600_000, 15_000));
  expect(missed.map(({ labels }) => labels['server'])).toEqual(['gone']);
  expect(effects.filter(({ type }) => type === 'open')).toHaveLength(2);
  expect(Object.values(state.instances).map(({ labels, phase }) => [labels['server'], phase])).toEqual([['here', 'firing']]);
});

test('law: an absence ends in at most one notification per group', () => {
  const events = fc.array(fc.record({ at: fc.nat(3_600_000), server: fc.constantFrom('a', 'b', 'c') }), { maxLength: 80 });
  fc.assert(
    fc.property(events, fc.boolean(), (list, wasFiring) => {
      const first = wasFiring ? [{ labels: { server: 'a' }, value: 1 }] : [];
      const [before] = evaluate(rule, NEW_RULE_STATE, { ok: true, samples: first }, 0);
      const buckets = list.map(({ at, server }) => bucket(at, server));
      const { state, effects, missed } = catchUp(rule, before, buckets, missedInstants(0, 3_600_000, 15_000));
      for (const server of ['a', 'b', 'c']) {
        const mine = <T extends { labels: Readonly<Record<string, string>> }>(items: readonly T[]) =>
          items.filter(({ labels }) => labels['server'] === server);
        let group = newGroup('r', server);
        if (wasFiring && server === 'a')
          [group] = advanceGroup(group, { visible: mine(Object.values(before.instances)), held: [], closed: [], missed: [] }, rule, 0);
        const closes = effects
          .filter(({ type }) => type === 'close')
          .map(({ instance, atMs }) => ({ labels: instance.labels, openedAtMs: 0, closedAtMs: atMs }));
        const view = { visible: mine(Object.values(state.instances)), held: [], closed: mine(closes), missed: mine(missed) };
        const [after, notice] = advanceGroup(group, view, rule, 3_600_000);
        const [, again] = advanceGroup(after, { ...view, closed: [], missed: [] }, rule, 3_600_000);
        expect(again).toBeNull();
        const isFiring = view.visible.length > 0;
        const wasOpen = group.episode !== null;
        if (isFiring !== wasOpen) expect(notice?.kind).toBe(isFiring ? 'open' : 'resolve');
      }
    }),
    { numRuns: 40 },
  );
});
