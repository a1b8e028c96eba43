import { expect, test } from 'vitest';
import { ACT_CODES, ASSESSMENT_CODES, MARK_CODES, REASON_CODES, RECORD_TYPE_CODES, UNDECIDED_CODE, VERDICT_CODES } from '@/db/codes';

/** Rows keep these numbers for years: a change here makes history say something else. */
test('codes in the tables never change their meaning', () => {
  expect(MARK_CODES).toEqual({ unsafe_resume: 0, bad_replay: 1, over_refusal: 2, refused: 3, resumed: 4, fresh: 5, unverifiable: 6 });
  expect(ASSESSMENT_CODES).toEqual({
    correct: 0,
    unsafe_resume: 1,
    bad_replay: 2,
    over_refusal: 3,
    wrong_status: 4,
    not_applicable: 5,
    unverifiable: 6,
  });
  expect(
    Object.entries(REASON_CODES)
      .sort(([, a], [, b]) => a - b)
      .map(([reason]) => reason),
  ).toEqual([
    'protocol_era',
    'session_unknown',
    'session_evicted',
    'session_superseded',
    'no_cursor',
    'malformed_cursor',
    'unknown_cursor',
    'generation_unknown',
    'generation_mismatch',
    'ahead_of_head',
    'no_coverage',
    'below_floor',
    'hole',
    'id_reused',
    'ok',
  ]);
  expect(Object.values(REASON_CODES).sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, row) => row));
  expect(UNDECIDED_CODE).toBe(99);
  expect(VERDICT_CODES).toEqual({ resume: 0, refuse: 1, fresh: 2, not_applicable: 3 });
  expect(ACT_CODES).toEqual({ resumed: 0, refused: 1, fresh: 2, failed: 3 });
  expect(RECORD_TYPE_CODES).toEqual({
    resume_attempt: 0,
    boot: 1,
    session: 2,
    emit: 3,
    evict: 4,
    open: 5,
    deliver: 6,
    close: 7,
    request: 8,
    client: 9,
  });
});
