import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import { FINDINGS } from '@/lib/audit/catalogue';
import type { Finding, FindingCode } from '@/lib/audit/finding';
import { interleave, plant } from '@/tests/audit/faults';
import { randomFrom } from '@/tests/audit/random';
import { Schedule } from '@/tests/audit/schedule';
import { tellInPart } from '@/tests/audit/tell-in-part';

const seeds = fc.integer({ min: 0, max: 2_147_483_647 });

function findingsOf(records: readonly unknown[]): readonly Finding[] {
  const answer = auditRecords(records);
  if (!answer.ok) throw new Error(`record ${answer.error.index}: ${answer.error.path} ${answer.error.message}`);
  return answer.value.findings;
}

describe('correct schedules', () => {
  test('nothing is found against a server that did everything right', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 5, max: 120 }), (seed, steps) => {
        const { records } = new Schedule(randomFrom(seed), steps);
        expect(findingsOf(records).filter((finding) => finding.blame === 'server')).toEqual([]);
      }),
      { numRuns: 300, seed: 20261130 },
    );
  });

  test('every judged attempt of such a server is correct or beyond judgement', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const answer = auditRecords(new Schedule(randomFrom(seed), 100).records);
        const wrong = answer.ok
          ? answer.value.resumes.filter((resume) => !['correct', 'unverifiable', 'not_applicable'].includes(resume.assessment))
          : [];
        expect(answer.ok).toBe(true);
        expect(wrong).toEqual([]);
      }),
      { numRuns: 200, seed: 20261130 },
    );
  });
});

describe('correct schedules that are told in part', () => {
  const inPart = (seed: number, steps: number) => {
    const random = randomFrom(seed);
    return tellInPart(random, new Schedule(random, steps).records);
  };

  test('nothing is found against a server for what was kept back', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 5, max: 160 }), (seed, steps) => {
        expect(findingsOf(inPart(seed, steps)).filter((finding) => finding.blame === 'server')).toEqual([]);
      }),
      { numRuns: 600, seed: 20261130 },
    );
  });

  test('nor is any attempt judged to be wrong', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const answer = auditRecords(inPart(seed, 120));
        const wrong = answer.ok
          ? answer.value.resumes.filter((resume) => !['correct', 'unverifiable', 'not_applicable'].includes(resume.assessment))
          : [];
        expect(wrong).toEqual([]);
      }),
      { numRuns: 400, seed: 20261130 },
    );
  });
});

describe('planted faults', () => {
  const codes = Object.keys(FINDINGS) as FindingCode[];

  test.each(codes)('%s: a fault planted into a correct schedule yields exactly its own code', (code) => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 60 }), (seed, steps) => {
        const random = randomFrom(seed);
        const schedule = new Schedule(random, steps).records;
        const fault = plant(code, random);
        const found = findingsOf(interleave(random, schedule, fault.records)).filter(isOfFault);
        expect([...new Set(found.map((finding) => finding.code))].sort()).toEqual([...fault.codes].sort());
      }),
      { numRuns: 40, seed: 20261130 },
    );
  });
});

/** Sessions of a fault are named F…, those of a schedule T…; clients of a schedule may fall silent. */
function isOfFault(finding: Finding): boolean {
  if (finding.session === null) return finding.code !== 'abandoned_sessions' || finding.server === 'elsewhere';
  return finding.session.startsWith('F') || finding.blame === 'server';
}
