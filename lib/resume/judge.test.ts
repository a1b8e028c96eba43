import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptFacts, ServerAct } from '@/lib/resume/attempt-facts';
import { decide } from '@/lib/resume/decide';
import { judgeAttempt } from '@/lib/resume/judge';
import { proofLadder } from '@/lib/resume/proof-ladder';
import { testRows } from '@/lib/resume/row-tests';

const FACTS: AttemptFacts = {
  protocolVersion: '2025-11-25',
  sessionState: 'live',
  generation: '3',
  requestedGeneration: '3',
  lastEventId: '1041',
  cursor: 1041n,
  floor: 1043n,
  head: 1100n,
  holes: [],
  reused: [],
  coveredFrom: undefined,
  floorRule: 'successor',
};
const RESUMED: ServerAct = { verdict: 'resumed', status: 200, reason: null, code: null, replayed: null };
const refused = (status: number | null | undefined): ServerAct => ({ ...RESUMED, verdict: 'refused', status });
const replayed = (count: bigint, first: bigint | null, last: bigint | null): ServerAct => ({
  ...RESUMED,
  replayed: { count, first, last },
});
const SAFE = { ...FACTS, lastEventId: '1042', cursor: 1042n };

describe('assessment of what a server did', () => {
  test.each([
    { name: 'resuming one event past the floor rule is unsafe', facts: FACTS, act: RESUMED, want: 'unsafe_resume' },
    { name: 'a cursor just below the floor loses nothing', facts: SAFE, act: RESUMED, want: 'correct' },
    { name: 'refusing a gap with 409 is right', facts: FACTS, act: refused(409), want: 'correct' },
    { name: 'a refusal whose status was not reported is taken as right', facts: FACTS, act: refused(undefined), want: 'correct' },
    { name: 'refusing a live session with 404 is the wrong status', facts: FACTS, act: refused(404), want: 'wrong_status' },
    {
      name: 'failing with 500 instead of refusing is the wrong status',
      facts: FACTS,
      act: { ...refused(500), verdict: 'failed' },
      want: 'wrong_status',
    },
    { name: 'refusing what could be served is an over-refusal', facts: SAFE, act: refused(409), want: 'over_refusal' },
    {
      name: 'failing what could be served is an over-refusal',
      facts: SAFE,
      act: { ...refused(500), verdict: 'failed' },
      want: 'over_refusal',
    },
    {
      name: 'a stream held by another connection is a conflict, no refusal',
      facts: SAFE,
      act: { ...refused(409), code: -32012 },
      want: 'correct',
    },
    { name: 'no status line ever is not judged', facts: SAFE, act: { ...refused(null), verdict: 'failed' }, want: 'unverifiable' },
    { name: 'a whole replay is correct', facts: SAFE, act: replayed(58n, 1043n, 1100n), want: 'correct' },
    { name: 'a replay one short is bad', facts: SAFE, act: replayed(57n, 1044n, 1100n), want: 'bad_replay' },
    { name: 'the right count of the wrong events is bad', facts: SAFE, act: replayed(58n, 1042n, 1099n), want: 'bad_replay' },
    { name: 'live only, though events were due, is a bad replay', facts: SAFE, act: { ...RESUMED, verdict: 'fresh' }, want: 'bad_replay' },
    { name: 'live only over a gap is unsafe', facts: FACTS, act: { ...RESUMED, verdict: 'fresh' }, want: 'unsafe_resume' },
    { name: 'another generation in range is unsafe', facts: { ...SAFE, requestedGeneration: '2' }, act: RESUMED, want: 'unsafe_resume' },
    { name: 'an unknown generation is never a pass', facts: { ...SAFE, requestedGeneration: null }, act: RESUMED, want: 'unsafe_resume' },
    { name: 'no cursor makes no claim', facts: { ...FACTS, lastEventId: null, cursor: null }, act: RESUMED, want: 'not_applicable' },
    {
      name: 'a revision without resumption is not judged',
      facts: { ...FACTS, protocolVersion: '2026-07-28' },
      act: RESUMED,
      want: 'not_applicable',
    },
    { name: 'an evicted session resumed is unsafe', facts: { ...SAFE, sessionState: 'evicted' }, act: RESUMED, want: 'unsafe_resume' },
    {
      name: 'an evicted session refused with 400 is the wrong status',
      facts: { ...SAFE, sessionState: 'evicted' },
      act: refused(400),
      want: 'wrong_status',
    },
  ] as const)('$name', ({ facts, act, want }) => expect(judgeAttempt(facts, act).assessment).toBe(want));
});

describe('missing facts', () => {
  test('a server without generations leaves rows 7 and 8 untested, not failed', () => {
    const facts = { ...SAFE, generation: undefined, requestedGeneration: undefined };
    expect(judgeAttempt(facts, RESUMED)).toMatchObject({ assessment: 'correct', decision: { reason: 'ok' }, missing: [] });
    expect(
      testRows(facts)
        .filter((row) => row.outcome === 'untested')
        .map((row) => row.reason),
    ).toEqual(['generation_unknown', 'generation_mismatch']);
  });

  test('a generation reported by the session alone leaves a resume unverifiable and names the fact', () => {
    const judged = judgeAttempt({ ...SAFE, requestedGeneration: undefined }, RESUMED);
    expect(judged).toMatchObject({ assessment: 'unverifiable', decision: null, missing: ['requested_generation'] });
  });

  test('a refusal that is right whatever the missing fact says is correct', () => {
    expect(judgeAttempt({ ...FACTS, requestedGeneration: undefined }, refused(409)).assessment).toBe('correct');
    expect(judgeAttempt({ ...FACTS, requestedGeneration: undefined }, RESUMED).assessment).toBe('unsafe_resume');
  });

  test.each(['head', 'floor', 'cursor', 'sessionState'] as const)('without %s a resume is not called safe', (fact) => {
    const facts = { ...SAFE, [fact]: undefined, ...(fact === 'sessionState' ? { floor: undefined, head: undefined } : {}) };
    const judged = judgeAttempt(facts, RESUMED);
    expect(judged.assessment).toBe('unverifiable');
    expect(judged.missing.length).toBeGreaterThan(0);
  });
});

const positions = fc.bigInt({ min: 0n, max: 40n });
const fullFacts = fc
  .record({
    sessionState: fc.constantFrom('live' as const, 'live' as const, 'evicted' as const, 'superseded' as const, 'unknown' as const),
    generation: fc.constantFrom('A', 'B'),
    requestedGeneration: fc.constantFrom('A', 'B', null),
    lastEventId: fc.constantFrom(null, '', '7', 'bad\u0000', 'x'.repeat(1025)),
    cursor: fc.option(positions),
    floor: positions,
    length: fc.bigInt({ min: -1n, max: 30n }),
    coveredFrom: fc.option(positions, { nil: undefined }),
    hole: fc.option(fc.tuple(positions, fc.bigInt({ min: 0n, max: 4n }))),
    reuse: fc.option(fc.tuple(positions, fc.bigInt({ min: 0n, max: 4n }))),
    floorRule: fc.constantFrom('successor' as const, 'retained' as const),
    protocolVersion: fc.constantFrom(null, '2025-03-26', '2025-11-25', '2026-07-28', '2027-01-01'),
  })
  .map(({ length, hole, reuse, ...rest }): AttemptFacts & { floor: bigint; head: bigint } => ({
    ...rest,
    head: rest.floor + length,
    holes: hole === null ? [] : [{ first: hole[0], last: hole[0] + hole[1] }],
    reused: reuse === null ? [] : [{ first: reuse[0], last: reuse[0] + reuse[1] }],
  }));

test('with every fact reported, the rows end where the verdict does', () => {
  fc.assert(
    fc.property(fullFacts, (facts) => {
      const decision = decide(
        { floor: facts.floorRule },
        { state: facts.sessionState ?? 'live', generation: facts.generation ?? null },
        { floor: facts.floor, head: facts.head, holes: facts.holes, reused: facts.reused, coveredFrom: facts.coveredFrom ?? null },
        {
          cursor: facts.cursor ?? null,
          lastEventId: facts.lastEventId ?? null,
          generation: facts.requestedGeneration ?? null,
          protocolVersion: facts.protocolVersion,
        },
      );
      expect(testRows(facts).at(-1)).toMatchObject({ reason: decision.reason, outcome: 'applies' });
      expect(judgeAttempt(facts, refused(409)).decision).toEqual(decision);
    }),
    { numRuns: 2000 },
  );
});

test('the proof tells the row that fired with its numbers and what was not reached', () => {
  const ladder = proofLadder({
    ...FACTS,
    cursor: 1042n,
    lastEventId: 'E_1042',
    floor: 1030n,
    head: 1075n,
    holes: [{ first: 1043n, last: 1051n }],
    generation: undefined,
    requestedGeneration: undefined,
  });
  expect(ladder[12]).toMatchObject({ outcome: 'applies', sentence: '1043 to 1051 are missing after 1042' });
  expect(ladder[11]).toMatchObject({ outcome: 'passes', sentence: '1042 is not below floor 1030 − 1' });
  expect(ladder[7]).toMatchObject({ outcome: 'untested', sentence: 'No generation is reported' });
  expect(ladder[13]?.outcome).toBe('not_reached');
});
