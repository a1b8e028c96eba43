import { expect, test } from 'vitest';
import { measureOf } from '@/lib/alerting/measures';
import { PRESET_RULES } from '@/lib/alerting/presets';
import { preview } from '@/lib/alerting/preview';
import { type RuleInput, ruleOf } from '@/lib/alerting/rule';
import { type Bucket, lookbackMs, samplesAt } from '@/lib/alerting/sample';

const MINUTE = 60_000;
const bucket = (part: Partial<Bucket>): Bucket => ({ startMs: 0, labels: {}, count: 0, attempts: 0, leadMin: null, lastMs: null, ...part });
const rule = (measure: string, input: Partial<RuleInput> = {}) => ruleOf({ name: 'r', measure, threshold: 1, window_s: 60, ...input });

test('a count sums the window and nothing before it', () => {
  const buckets = [
    bucket({ startMs: -1, count: 5 }),
    bucket({ startMs: 0, count: 2 }),
    bucket({ startMs: 59_999, count: 1 }),
    bucket({ startMs: MINUTE, count: 9 }),
  ];
  expect(samplesAt(rule('unsafe_resume'), buckets, MINUTE)).toEqual([{ labels: {}, value: 3 }]);
});

test('a rate is per attempt, and unknown without attempts', () => {
  expect(samplesAt(rule('resume_unavailable_rate'), [bucket({ count: 1, attempts: 4 })], MINUTE)).toEqual([{ labels: {}, value: 0.25 }]);
  expect(samplesAt(rule('resume_unavailable_rate'), [bucket({})], MINUTE)).toEqual([{ labels: {}, value: null }]);
});

test('a rule without labels always has its one sample', () => {
  expect(samplesAt(rule('unsafe_resume'), [], MINUTE)).toEqual([{ labels: {}, value: 0 }]);
  expect(samplesAt(rule('unsafe_resume', { group_by: ['server'] }), [], MINUTE)).toEqual([]);
});

test('a deviation is measured against the mean of the day-part before, and a quiet past counts as one per window', () => {
  const past = Array.from({ length: 24 }, (_, index) => bucket({ startMs: index * MINUTE, count: 2 }));
  expect(samplesAt(rule('gap_deviation'), [...past, bucket({ startMs: 24 * MINUTE, count: 10 })], 25 * MINUTE)).toEqual([
    { labels: {}, value: 5 },
  ]);
  expect(samplesAt(rule('gap_deviation'), [bucket({ startMs: 24 * MINUTE, count: 3 })], 25 * MINUTE)).toEqual([{ labels: {}, value: 3 }]);
});

test('the lead is the smallest one told, and silence is measured from the newest record', () => {
  expect(
    samplesAt(rule('lead_to_floor'), [bucket({ leadMin: 7 }), bucket({ startMs: 1, leadMin: 3 }), bucket({ startMs: 2 })], MINUTE),
  ).toEqual([{ labels: {}, value: 3 }]);
  expect(samplesAt(rule('telemetry_stopped'), [bucket({ lastMs: 10_000 }), bucket({ lastMs: 40_000 })], 100_000)).toEqual([
    { labels: {}, value: 60 },
  ]);
});

test('every preset is a rule that can be read', () => {
  for (const input of PRESET_RULES) {
    expect(measureOf(input.measure), input.name).not.toBeNull();
    expect(lookbackMs(ruleOf(input)), input.name).toBeGreaterThan(0);
  }
  expect(new Set(PRESET_RULES.map(({ name }) => name)).size).toBe(PRESET_RULES.length);
});

test('a preview fires as often as the past would have made it fire', () => {
  const subject = rule('unsafe_resume', { group_by: ['server'] });
  const buckets = [10, 11, 500].map((minute) => bucket({ startMs: minute * MINUTE, labels: { server: 'a' }, count: 1 }));
  const result = preview(subject, buckets, 0, 600 * MINUTE);
  expect(result.fired).toBe(2);
  expect(result.episodes.map(({ closedAtMs }) => closedAtMs === null)).toEqual([false, false]);
  expect(result.points.filter(({ firing }) => firing > 0).length).toBeGreaterThan(2);
});
