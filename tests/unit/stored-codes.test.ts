import { expect, test } from 'vitest';
import {
  ACT_CODES,
  ANNOTATION_CODES,
  ASSESSMENT_CODES,
  BLAME_CODES,
  FINDING_CODES,
  JUDGED_BY_CODES,
  MARK_CODES,
  REASON_CODES,
  RECORD_TYPE_CODES,
  SEVERITY_CODES,
  UNDECIDED_CODE,
  VERDICT_CODES,
} from '@/db/codes';

/** Rows keep these numbers for years: a change here makes history say something else. */
test('codes in the tables never change their meaning', () => {
  expect(MARK_CODES).toEqual({ unsafe_resume: 0, bad_replay: 1, over_refusal: 2, refused: 3, resumed: 4, fresh: 5, unverifiable: 6 });
  expect(ANNOTATION_CODES).toEqual({ boot: 0, generation: 1, session_evicted: 2, eviction: 3, forced_eviction: 4 });
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
  expect(
    Object.entries(FINDING_CODES)
      .sort(([, a], [, b]) => a - b)
      .map(([code]) => code),
  ).toEqual(FINDINGS_BY_CODE);
  expect(Object.values(FINDING_CODES).sort((a, b) => a - b)).toEqual(FINDINGS_BY_CODE.map((_code, number) => number));
  expect(SEVERITY_CODES).toEqual({ info: 0, warning: 1, error: 2, critical: 3 });
  expect(BLAME_CODES).toEqual({ server: 0, client: 1, path: 2 });
  expect(JUDGED_BY_CODES).toEqual({ record: 0, history: 1 });
});

const FINDINGS_BY_CODE = [
  'gap',
  'lost_response',
  'missignalled_caught_up',
  'cursor_lost',
  'ids_not_on_wire',
  'stalled_delivery',
  'duplicate',
  'cursor_not_honoured',
  'possible_duplicate_execution',
  'cross_generation_replay',
  'cross_stream_replay',
  'cross_session_replay',
  'id_reused',
  'id_collision',
  'id_not_advancing',
  'ambiguous_cursor',
  'over_refusal',
  'wrong_status',
  'disguised_refusal',
  'unanswered_resume',
  'reconnect_loop',
  'stream_flap',
  'stale_session_loop',
  'orphaned_stream',
  'zombie_holder',
  'session_adopted',
  'active_session_expired',
  'session_loss_ignored',
  'partial_session_loss',
  'abandoned_sessions',
  'route_not_found',
  'silent_client',
  'idle_cut',
  'header_stripped',
  'used_cleared_cursor',
  'suppressed_live_events',
];
