import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '@/lib/resume/decide';
import { decideResume } from './decide.js';

const position = fc.bigInt({ min: 0n, max: 40n });
const ranges = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 8 }).map((numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const pairs: { first: bigint; last: bigint }[] = [];
  for (let i = 0; i + 1 < sorted.length; i += 2) pairs.push({ first: BigInt(sorted[i] ?? 0), last: BigInt(sorted[i + 1] ?? 0) });
  return pairs;
});
const generation = fc.constantFrom('1', '2', null);
const input = fc.record({
  floorRule: fc.constantFrom('successor' as const, 'retained' as const),
  state: fc.constantFrom('live' as const, 'live' as const, 'evicted' as const, 'superseded' as const, 'unknown' as const),
  generation,
  requestedGeneration: generation,
  floor: position,
  above: fc.bigInt({ min: -1n, max: 30n }),
  holes: ranges,
  reused: ranges,
  coveredFrom: fc.option(position),
  cursor: fc.option(position),
  lastEventId: fc.constantFrom(null, '', '7', 'é', 'a\tb', 'x'.repeat(1025)),
  protocolVersion: fc.constantFrom(null, '2025-11-25', '2026-07-28', 'draft'),
});

test('the package decides as the application does, whatever the facts', () => {
  fc.assert(
    fc.property(input, (facts) => {
      const head = facts.floor + facts.above;
      // A hole lies inside the log by definition (contract section 1).
      const holes = facts.holes.filter((hole) => hole.first >= facts.floor && hole.last <= head);
      const log = { floor: facts.floor, head, holes, reused: facts.reused, coveredFrom: facts.coveredFrom };
      const request = {
        cursor: facts.cursor,
        lastEventId: facts.lastEventId,
        generation: facts.requestedGeneration,
        protocolVersion: facts.protocolVersion,
      };
      const app = decide({ floor: facts.floorRule }, { state: facts.state, generation: facts.generation }, log, request);
      const own = decideResume(
        {
          protocolVersion: facts.protocolVersion,
          sessionState: facts.state,
          generation: facts.generation,
          lastEventId: facts.lastEventId,
          cursor: facts.cursor,
          requestedGeneration: facts.requestedGeneration,
        },
        log,
        facts.floorRule,
      );
      expect(own).toEqual(app);
    }),
    { numRuns: 2000 },
  );
});
