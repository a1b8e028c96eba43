import { expect, test } from 'vitest';
import { ladderLines } from '@/components/attempts/ladder-lines';
import { proofLadder } from '@/lib/resume/proof-ladder';
import { attemptFacts } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

const S02C: ResumeAttemptRecord = {
  type: 'resume_attempt',
  verdict: 'resumed',
  last_event_id: 'E_1042',
  cursor: 1042,
  generation: 1,
  requested_generation: 1,
  session_state: 'live',
  floor: 1030,
  head: 1075,
  holes: [[1043, 1051]],
};
const linesOf = (record: ResumeAttemptRecord) => ladderLines(proofLadder(attemptFacts(record)));

test('the rule that fired stands as its own line with its numbers, rows after it as one', () => {
  const lines = linesOf(S02C);
  expect(lines.slice(-2)).toEqual([
    { rows: '12', outcome: 'applies', sentence: '1043 to 1051 are missing after 1042' },
    { rows: '13, 14', outcome: 'not_reached', sentence: 'Not reached' },
  ]);
  expect(lines[1]).toEqual({ rows: '1 to 3', outcome: 'passes', sentence: 'The session is live' });
});

test('a row that could not be tested is never joined with another', () => {
  const unknown: ResumeAttemptRecord = { type: 'resume_attempt', verdict: 'resumed', cursor: 1042 };
  const untested = linesOf(unknown).filter((line) => line.outcome === 'untested');
  expect(untested.map((line) => line.rows).slice(0, 3)).toEqual(['1', '2', '3']);
});

test('every row of the table is told by some line', () => {
  const told = linesOf(S02C).flatMap(({ rows }) => {
    const [first = 0, last = first] = rows.split(/, | to /).map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  expect(told).toEqual(Array.from({ length: 15 }, (_, row) => row));
});
