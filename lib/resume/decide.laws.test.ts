import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POSITION_MAX } from '@/lib/base/position';
import { decide } from '@/lib/resume/decide';
import type { LogFacts, Policy, ResumeRequest, SessionFacts } from '@/lib/resume/types';

const SUCCESSOR: Policy = { floor: 'successor' };
const RETAINED: Policy = { floor: 'retained' };
const LIVE: SessionFacts = { state: 'live', generation: 'A' };

/** Sorted, disjoint ranges inside `[low, low + span]`, drawn as cut points. */
const ranges = (low: bigint, span: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max: span }), { maxLength: 6 }).map((cuts) => {
    const sorted = cuts.sort((a, b) => a - b);
    const drawn = [];
    for (let i = 0; i + 1 < sorted.length; i += 2)
      drawn.push({ first: low + BigInt(sorted[i] ?? 0), last: low + BigInt(sorted[i + 1] ?? 0) });
    return drawn;
  });

/** Logs around small numbers, around 2^53 and at the end of the number space. */
const logs: fc.Arbitrary<LogFacts> = fc
  .record({ base: fc.constantFrom(0n, 1n, 1000n, 9_007_199_254_740_980n, POSITION_MAX - 40n), span: fc.integer({ min: -1, max: 30 }) })
  .chain(({ base, span }) =>
    fc.record({
      floor: fc.constant(base),
      head: fc.constant(base + BigInt(span)),
      // Also ranges that reach beyond the log: reports of them are tolerated, and must not bend the laws.
      holes: ranges(base, Math.max(span, 0) + 4),
      reused: ranges(base, Math.max(span, 0) + 4),
      coveredFrom: fc.option(fc.integer({ min: -2, max: 35 }).map((offset) => (base + BigInt(offset) < 0n ? 0n : base + BigInt(offset)))),
    }),
  );

const cursorsOf = (log: LogFacts) =>
  fc.integer({ min: -8, max: 40 }).map((offset) => (log.floor + BigInt(offset) < 0n ? 0n : log.floor + BigInt(offset)));
const cases = logs.chain((log) => fc.record({ log: fc.constant(log), cursor: cursorsOf(log) }));

function ask(cursor: bigint | null, generation: string | null = 'A'): ResumeRequest {
  return { cursor, lastEventId: null, generation, protocolVersion: '2025-11-25' };
}

describe('laws of the verdict', () => {
  test('raising the floor never turns a refusal into a resume', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(SUCCESSOR, RETAINED), fc.integer({ min: 0, max: 30 }), ({ log, cursor }, policy, up) => {
        const raised = log.floor + BigInt(up) > log.head + 1n ? log.head + 1n : log.floor + BigInt(up);
        const before = decide(policy, LIVE, log, ask(cursor)).verdict;
        const after = decide(policy, LIVE, { ...log, floor: raised }, ask(cursor)).verdict;
        return before === 'resume' || after === 'refuse';
      }),
    );
  });

  test('successor accepts whatever retained accepts', () => {
    fc.assert(
      fc.property(cases, ({ log, cursor }) => {
        const strict = decide(RETAINED, LIVE, log, ask(cursor)).verdict;
        return strict !== 'resume' || decide(SUCCESSOR, LIVE, log, ask(cursor)).verdict === 'resume';
      }),
    );
  });

  test('earliest_resumable_cursor is accepted and nothing below it is', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(SUCCESSOR, RETAINED), ({ log, cursor }, policy) => {
        const earliest = decide(policy, LIVE, log, ask(cursor)).earliestResumableCursor;
        if (earliest === null) return decide(policy, LIVE, log, ask(cursor)).verdict === 'refuse';
        if (decide(policy, LIVE, log, ask(earliest)).verdict !== 'resume') return false;
        return cursor >= earliest || decide(policy, LIVE, log, ask(cursor)).verdict === 'refuse';
      }),
    );
  });

  test('a number in range never excuses another or an unknown generation', () => {
    fc.assert(
      fc.property(
        cases,
        fc.constantFrom('B', 'a', '', null),
        ({ log, cursor }, generation) => decide(SUCCESSOR, LIVE, log, ask(cursor, generation)).verdict === 'refuse',
      ),
    );
  });

  test('a resume replays exactly what lies between cursor and head, and all of it is retained', () => {
    fc.assert(
      fc.property(cases, ({ log, cursor }) => {
        const { verdict, replay, gap } = decide(SUCCESSOR, LIVE, log, ask(cursor));
        if (verdict !== 'resume') return replay === null;
        const isRetained =
          cursor === log.head || (cursor + 1n >= log.floor && log.holes.every((hole) => hole.last <= cursor || hole.first > log.head));
        return gap === null && isRetained && replay?.from === cursor + 1n && replay.to === log.head && replay.count === log.head - cursor;
      }),
    );
  });

  test('a gap counts each missing position once and stays between cursor and head', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(SUCCESSOR, RETAINED), ({ log, cursor }, policy) => {
        const { gap } = decide(policy, LIVE, log, ask(cursor));
        if (gap === null) return true;
        let previous = cursor;
        let count = 0n;
        for (const { first, last } of gap.ranges) {
          if (first <= previous || last < first || last > log.head) return false;
          previous = last + 1n;
          count += last - first + 1n;
        }
        return count === gap.count && count > 0n;
      }),
    );
  });

  test('a dead session answers the same whatever its log held', () => {
    fc.assert(
      fc.property(cases, cases, fc.constantFrom('unknown' as const, 'evicted' as const, 'superseded' as const), (a, b, state) => {
        const session: SessionFacts = { state, generation: 'A' };
        expect(decide(SUCCESSOR, session, a.log, ask(a.cursor))).toEqual(decide(SUCCESSOR, session, b.log, ask(b.cursor)));
      }),
    );
  });
});
