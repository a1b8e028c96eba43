import { describe, expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import { FINDINGS } from '@/lib/audit/catalogue';
import type { FindingCode } from '@/lib/audit/finding';
import { proveAttempt, proveFinding } from '@/lib/audit/proof';
import type { AttemptFacts } from '@/lib/resume/attempt-facts';
import { plant } from '@/tests/audit/faults';
import { randomFrom } from '@/tests/audit/random';

const facts: AttemptFacts = {
  protocolVersion: null,
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

describe('proof of an attempt', () => {
  test.each<[string, Partial<AttemptFacts>, string, string, string]>([
    ['below the floor', {}, 'below_floor', 'floor', '1042'],
    ['below the floor, stricter rule', { floorRule: 'retained' }, 'below_floor', 'floor', '1041'],
    ['above the head', { cursor: 1101n }, 'ahead_of_head', 'cursor', '1100'],
    ['of another generation', { requestedGeneration: '2' }, 'generation_mismatch', 'requested_generation', '3'],
    ['before a hole', { cursor: 1050n, holes: [{ first: 1060n, last: 1061n }] }, 'hole', 'holes', 'none after the cursor'],
    ['before coverage', { cursor: 1050n, coveredFrom: 1060n }, 'no_coverage', 'covered_from', '1051'],
    ['of an evicted session', { sessionState: 'evicted' }, 'session_evicted', 'session_state', 'live'],
  ])('a cursor %s: the clause and the nearest legal fact', (_what, changed, reason, fact, to) => {
    const { clause, smallestChange } = proveAttempt({ ...facts, ...changed });
    expect(clause?.reason).toBe(reason);
    expect(smallestChange).toMatchObject({ fact, to });
  });

  test('with the changed floor the attempt is legal', () => {
    const { smallestChange } = proveAttempt(facts);
    const legal = proveAttempt({ ...facts, floor: BigInt(smallestChange?.to ?? 0) });
    expect(legal).toMatchObject({ clause: { reason: 'ok' }, smallestChange: null });
  });
});

describe('proof of a finding', () => {
  test.each(Object.keys(FINDINGS) as FindingCode[])('%s: names the record, the clause, its numbers and what would be legal', (code) => {
    const answer = auditRecords(plant(code, randomFrom(1)).records);
    const finding = answer.ok ? answer.value.findings.find((candidate) => candidate.code === code) : undefined;
    expect(finding).toBeDefined();
    if (finding === undefined) return;
    const proof = proveFinding(finding);
    expect(proof).toMatchObject({ firstIllegal: finding.index, clause: FINDINGS[code].clause, sentence: finding.message });
    expect(proof.smallestChange).not.toMatch(/null|undefined/);
  });
});
