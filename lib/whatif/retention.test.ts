import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { backtest } from '@/lib/whatif/backtest';
import { casesOfHistory } from '@/lib/whatif/cases-of-history';
import { adviseRetention, type Need, needsOf } from '@/lib/whatif/retention';
import { whatIf } from '@/lib/whatif/what-if';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';

const need = (events: number | null, more: Partial<Need> = {}): Need => ({ events, kept: 40, awayMs: null, wasRefused: false, ...more });
const recorded = (name: string): TelemetryRecord[] =>
  (
    parseJsonExactly(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as { case: string; records: TelemetryRecord[] }[]
  ).find((one) => one.case === name)?.records ?? [];

describe('retention', () => {
  test('nothing measured, no advice', () => {
    expect(adviseRetention([], 100)).toBeNull();
    expect(adviseRetention([need(null)], 100)).toBeNull();
  });
  test('the knee, the room and the config line', () => {
    const needs = [
      ...Array.from({ length: 95 }, (_, n) => need(n, { wasRefused: n > 40, awayMs: n * 100 })),
      ...[1000, 2000, 3000, 4000, 5000].map((events) => need(events)),
    ];
    const advice = adviseRetention(needs, 200) ?? expect.fail();
    expect(advice.knee).toEqual({ events: 94, served: 0.95, servedAtMost: 0.95, refusalsAvoided: 54, bytes: 18_800 });
    expect(advice).toMatchObject({
      measured: 100,
      censored: 0,
      measuredUpTo: 5000,
      keptNow: 40,
      configLine: '"buffer":{"events":94,"ttl_ms":10000}',
    });
  });
  test('clients that missed nothing need no configuration', () => {
    expect(adviseRetention([need(0), need(0)], 200)).toMatchObject({ measured: 2, knee: { events: 0, served: 1 }, configLine: null });
    expect(adviseRetention([need(0), need(1)], 200)?.configLine).toBe('"buffer":{"events":1}');
  });
  test('a cursor that could not be placed needed more than was kept, and it is said', () => {
    const advice = adviseRetention([need(10), need(50), need(null)], null) ?? expect.fail();
    expect(advice.points.map(({ events, served, servedAtMost }) => [events, served, servedAtMost])).toEqual([
      [10, 1 / 3, 1 / 3],
      [50, 2 / 3, 1],
    ]);
    expect(advice.censoring).toBe(
      'Measured over 2 reconnects that needed at most 50 events. 1 more presented a cursor that could not be placed: they needed more than was kept then. Clients that never came back are not in these numbers.',
    );
  });
  test('only what a buffer can change is measured', () => {
    expect(needsOf(casesOfHistory(recorded('S02a')))).toMatchObject([{ events: 33, kept: 24, wasRefused: true }]);
    expect(needsOf(casesOfHistory(recorded('S01a')))).toEqual([]);
  });
  test('the curve never falls, has few points, and its refusals avoided are what a what-if finds', () => {
    const sizes = fc.array(fc.record({ cursor: fc.nat(500), floor: fc.nat(500) }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(sizes, (attempts) => {
        const records = attempts.map(
          ({ cursor, floor }): TelemetryRecord => ({
            type: 'resume_attempt',
            verdict: 'refused',
            session_state: 'live',
            last_event_id: String(cursor),
            cursor,
            floor,
            head: 500,
            generation: 1,
            requested_generation: 1,
          }),
        );
        const { points } = adviseRetention(needsOf(casesOfHistory(records)), null) ?? expect.fail();
        for (const [n, point] of points.entries()) {
          expect(point.served).toBeGreaterThanOrEqual(points[n - 1]?.served ?? 0);
          const found = whatIf(records, { buffer: { events: point.events } }).items.filter(({ after }) => after.reason === 'ok');
          expect(point.refusalsAvoided).toBe(found.length);
        }
      }),
      { numRuns: 50 },
    );
  });
  test('many different needs become at most 200 points that end at the largest', () => {
    const advice =
      adviseRetention(
        Array.from({ length: 5000 }, (_, n) => need(n)),
        null,
      ) ?? expect.fail();
    expect(advice.points.length).toBeLessThanOrEqual(200);
    expect(advice.points.at(-1)).toMatchObject({ events: 4999, served: 1 });
  });
});

describe('backtest', () => {
  const over = (records: TelemetryRecord[], options = {}) =>
    backtest(
      casesOfHistory(records).map((attempt) => ({ attempt, record: records[attempt.index] as ResumeAttemptRecord })),
      options,
    );
  test.each([
    { name: 'S02a', outcome: { newlyRefused: 1, newlyRefusedByReason: { below_floor: 1 }, items: [7] } },
    { name: 'S02b', outcome: { stillRefused: 1, newlyRefused: 0 } },
    { name: 'S01a', outcome: { newlyRefused: 2, newlyRefusedByReason: { generation_mismatch: 2 } } },
    { name: 'F09a', outcome: { stillResumed: 1 } },
    { name: 'F09b', outcome: { overRefused: 1 } },
  ])('$name', ({ name, outcome }) => expect(over(recorded(name))).toMatchObject(outcome));
  test('a stricter floor refuses more', () =>
    expect(over(recorded('F09a'), { floor: 'retained' })).toMatchObject({ newlyRefused: 1, stillResumed: 0 }));
});
