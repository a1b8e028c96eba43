import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  closeAll,
  evaluate,
  GROUPS_MAX,
  INSTANCES_MAX,
  NEW_RULE_STATE,
  OVERFLOW_GROUP,
  type Reading,
  type RuleState,
} from '@/lib/alerting/evaluate';
import { labelKey } from '@/lib/alerting/labels';
import { type RuleInput, ruleOf } from '@/lib/alerting/rule';

const rule = (input: Partial<RuleInput> = {}) =>
  ruleOf({ name: 'r', measure: 'unsafe_resume', threshold: 1, group_by: ['server'], ...input });
const read = (values: Record<string, number | null>): Reading => ({
  ok: true,
  samples: Object.entries(values).map(([server, value]) => ({ labels: { server }, value })),
});
const key = (server: string) => labelKey({ server });

/** Runs readings one second apart and notes what opened and closed at which second. */
function run(subject: ReturnType<typeof rule>, readings: readonly Reading[], from: RuleState = NEW_RULE_STATE) {
  let state = from;
  const seen: string[] = [];
  for (const [second, reading] of readings.entries()) {
    const [next, effects] = evaluate(subject, state, reading, second * 1000);
    state = next;
    seen.push(...effects.map((effect) => `${effect.type} ${effect.key} @${second}`));
  }
  return { state, seen };
}

test('an immediate rule opens on the first breach and closes on the first calm reading', () => {
  expect(run(rule(), [read({ a: 0 }), read({ a: 1 }), read({ a: 3 }), read({ a: 0 })]).seen).toEqual([
    `open ${key('a')} @1`,
    `close ${key('a')} @3`,
  ]);
});

test.each([
  { name: 'just short of the for-duration', calmAt: 3, seen: [] },
  { name: 'exactly the for-duration', calmAt: 4, seen: [`open ${key('a')} @3`, `close ${key('a')} @4`] },
])('a breach that lasts $name', ({ calmAt, seen }) => {
  const readings = Array.from({ length: 6 }, (_, second) => read({ a: second < calmAt ? 1 : 0 }));
  expect(run(rule({ for_s: 3 }), readings).seen).toEqual(seen);
});

test('a fault that comes back while the alert recovers opens nothing new', () => {
  const values = [1, 0, 0, 1, 0, 0, 0, 0];
  const { seen } = run(
    rule({ keep_firing_s: 3 }),
    values.map((value) => read({ a: value })),
  );
  expect(seen).toEqual([`open ${key('a')} @0`, `close ${key('a')} @7`]);
});

test('a count without rows is zero: the alert closes', () => {
  expect(run(rule({ no_data: 'keep' }), [read({ a: 1 }), read({})]).seen).toEqual([`open ${key('a')} @0`, `close ${key('a')} @1`]);
});

test.each([
  { policy: 'ok', seen: [`open ${key('a')} @0`, `close ${key('a')} @1`] },
  { policy: 'keep', seen: [`open ${key('a')} @0`] },
  { policy: 'alert', seen: [`open ${key('a')} @0`, 'open !no_data @1'] },
] as const)('a rate without attempts is no data: policy $policy', ({ policy, seen }) => {
  expect(run(rule({ measure: 'unsafe_resume_rate', threshold: 0.5, no_data: policy }), [read({ a: 1 }), read({ a: null })]).seen).toEqual(
    seen,
  );
});

test('an alert without data is held for a day, not for ever', () => {
  const subject = rule({ measure: 'unsafe_resume_rate', threshold: 0.5, no_data: 'keep' });
  const [fired] = evaluate(subject, NEW_RULE_STATE, read({ a: 1 }), 0);
  const [held, none] = evaluate(subject, fired, read({}), 86_399_999);
  expect(none).toEqual([]);
  expect(evaluate(subject, held, read({}), 86_400_000)[1].map(({ type }) => type)).toEqual(['close']);
});

test('a failing read moves no alert and is told apart after a minute', () => {
  const failed: Reading = { ok: false, message: 'connection refused' };
  const [fired] = evaluate(rule(), NEW_RULE_STATE, read({ a: 1 }), 0);
  const [first, none] = evaluate(rule(), fired, failed, 1000);
  const [second, told] = evaluate(rule(), first, failed, 61_000);
  const [, over] = evaluate(rule(), second, read({ a: 1 }), 62_000);
  expect(none).toEqual([]);
  expect(told.map(({ type, key: at }) => `${type} ${at}`)).toEqual(['open !error']);
  expect(over.map(({ type, key: at }) => `${type} ${at}`)).toEqual(['close !error']);
  expect(second.instances[key('a')]?.phase).toBe('firing');
});

test('beyond the bound on open notifications new alerts share one, and close through the same one', () => {
  const many = Object.fromEntries(Array.from({ length: GROUPS_MAX + 10 }, (_, index) => [`s${index}`, 1]));
  const [state, effects] = evaluate(rule(), NEW_RULE_STATE, read(many), 0);
  expect(new Set(effects.map(({ instance }) => instance.group)).size).toBe(GROUPS_MAX + 1);
  const [, closes] = evaluate(rule(), state, read({}), 1000);
  expect(closes.filter(({ instance }) => instance.group === OVERFLOW_GROUP)).toHaveLength(10);
});

test('a rule follows a bounded number of alerts', () => {
  const many = Object.fromEntries(Array.from({ length: INSTANCES_MAX + 5 }, (_, index) => [`s${index}`, 1]));
  expect(evaluate(rule(), NEW_RULE_STATE, read(many), 0)[1]).toHaveLength(INSTANCES_MAX);
});

const anyReading = fc.oneof(
  { weight: 8, arbitrary: fc.record({ a: fc.constantFrom(0, 1, null), b: fc.constantFrom(0, 1, null) }).map(read) },
  { weight: 1, arbitrary: fc.constant(read({})) },
  { weight: 1, arbitrary: fc.constant<Reading>({ ok: false, message: 'x' }) },
);
const anyRule = fc
  .record({
    for_s: fc.constantFrom(0, 5, 60),
    keep_firing_s: fc.constantFrom(0, 5, 60),
    no_data: fc.constantFrom('ok', 'keep', 'alert'),
    measure: fc.constantFrom('unsafe_resume', 'unsafe_resume_rate'),
  })
  .map(rule);

test('law: per alert, opens and closes take turns, starting with an open, whatever the clock does', () => {
  fc.assert(
    fc.property(
      anyRule,
      fc.array(fc.tuple(anyReading, fc.integer({ min: -30_000, max: 120_000 })), { maxLength: 60 }),
      (subject, steps) => {
        const open = new Set<string>();
        let state = NEW_RULE_STATE;
        let now = 1_000_000;
        for (const [reading, delta] of steps) {
          now += delta;
          const [next, effects] = evaluate(subject, state, reading, now);
          state = next;
          for (const { type, key: at } of effects) {
            expect(open.has(at)).toBe(type === 'close');
            if (type === 'open') open.add(at);
            else open.delete(at);
          }
        }
        expect(
          closeAll(state, now)[1]
            .map(({ key: at }) => at)
            .sort(),
        ).toEqual([...open].sort());
      },
    ),
  );
});

test('law: evaluating the same instant again does nothing', () => {
  fc.assert(
    fc.property(anyRule, fc.array(anyReading, { minLength: 1, maxLength: 20 }), (subject, readings) => {
      const { state } = run(subject, readings);
      const last = readings[readings.length - 1] ?? read({});
      const [again, effects] = evaluate(subject, state, last, (readings.length - 1) * 1000);
      expect(effects).toEqual([]);
      expect(again).toEqual(state);
    }),
  );
});
