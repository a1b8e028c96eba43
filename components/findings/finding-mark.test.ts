import { expect, test } from 'vitest';
import { markOfFinding } from '@/components/findings/finding-mark';
import { FINDING_GROUPS } from '@/lib/audit/finding';

test('a loss is drawn as an unsafe resume, a repetition as a bad replay, and no code is without a mark of its group', () => {
  expect(FINDING_GROUPS.loss.map(markOfFinding)).toEqual(FINDING_GROUPS.loss.map(() => 'unsafe_resume'));
  expect(FINDING_GROUPS.repetition.map(markOfFinding)).toEqual(FINDING_GROUPS.repetition.map(() => 'bad_replay'));
  expect(FINDING_GROUPS.refusal.map(markOfFinding)).toEqual(FINDING_GROUPS.refusal.map(() => 'over_refusal'));
  expect(FINDING_GROUPS.loops.map(markOfFinding)).toEqual(FINDING_GROUPS.loops.map(() => 'refused'));
});
