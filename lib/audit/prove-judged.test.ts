import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import { proveJudged } from '@/lib/audit/prove-judged';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

interface History {
  readonly case: string;
  readonly records: readonly unknown[];
}

/** Reasons whose numbers no decision carries: only the record can tell them. */
const TOLD_BY_RECORDS_ONLY = ['ahead_of_head', 'no_coverage', 'id_reused', 'malformed_cursor'];

const refusals = ['../../tests/histories/', '../../tests/audit/boundaries/']
  .map((path) => new URL(path, import.meta.url))
  .flatMap((folder) => readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as History[]))
  .flat()
  .flatMap((history) => {
    const answer = auditRecords(history.records);
    if (!answer.ok) throw new Error(history.case);
    return answer.value.resumes.flatMap(({ index, decision }) =>
      decision?.verdict === 'refuse' ? [[`${history.case} ${index}`, decision, attemptAt(history, index)] as const] : [],
    );
  });

function attemptAt(history: History, index: number): ResumeAttemptRecord {
  const decoded = decodeRecord(history.records[index]);
  if (!decoded.ok || decoded.value.type !== 'resume_attempt') throw new Error(`${history.case} ${index} is no attempt`);
  return decoded.value;
}

test('the histories hold refusals of many kinds', () => {
  expect(new Set(refusals.map(([, { reason }]) => reason)).size).toBeGreaterThan(7);
});

test.each(refusals)(
  '%s: the proof of a refusal names the row that the history proved, and what would have been legal',
  (_at, decision, record) => {
    const { clause, smallestChange } = proveJudged(record, decision);
    expect(clause?.reason).toBe(decision.reason);
    expect(smallestChange !== null || TOLD_BY_RECORDS_ONLY.includes(decision.reason)).toBe(true);
    expect(`${clause?.sentence} ${smallestChange?.to ?? ''}`).not.toMatch(/undefined|null/);
  },
);
