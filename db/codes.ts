import { BLAMES, type Blame, FINDING_GROUPS, type FindingCode, SEVERITIES, type Severity } from '@/lib/audit/finding';
import { ASSESSMENTS, type Assessment, type ServerAct } from '@/lib/resume/attempt-facts';
import { MARKS, type Mark } from '@/lib/resume/mark';
import { REASONS, type Reason, type Verdict } from '@/lib/resume/types';
import type { AnnotationKind } from '@/lib/rollup/annotations';
import type { RecordType } from '@/lib/wire/schema';

/**
 * Numbers that stand for closed unions in the tables. They are stored for years: a code is never changed or
 * given away again, new members get new numbers. A test pins them.
 */
export const MARK_CODES: Readonly<Record<Mark, number>> = {
  unsafe_resume: 0,
  bad_replay: 1,
  over_refusal: 2,
  refused: 3,
  resumed: 4,
  fresh: 5,
  unverifiable: 6,
};

export const ASSESSMENT_CODES: Readonly<Record<Assessment, number>> = {
  correct: 0,
  unsafe_resume: 1,
  bad_replay: 2,
  over_refusal: 3,
  wrong_status: 4,
  not_applicable: 5,
  unverifiable: 6,
};

/** The rows of the contract's table, by their number. */
export const REASON_CODES: Readonly<Record<Reason, number>> = {
  protocol_era: 0,
  session_unknown: 1,
  session_evicted: 2,
  session_superseded: 3,
  no_cursor: 4,
  malformed_cursor: 5,
  unknown_cursor: 6,
  generation_unknown: 7,
  generation_mismatch: 8,
  ahead_of_head: 9,
  no_coverage: 10,
  below_floor: 11,
  hole: 12,
  id_reused: 13,
  ok: 14,
};

/** In rollups, whose keys cannot be null: the attempts whose decision is open. */
export const UNDECIDED_CODE = 99;

export const VERDICT_CODES: Readonly<Record<Verdict, number>> = { resume: 0, refuse: 1, fresh: 2, not_applicable: 3 };

export const ACT_CODES: Readonly<Record<ServerAct['verdict'], number>> = { resumed: 0, refused: 1, fresh: 2, failed: 3 };

export const RECORD_TYPE_CODES: Readonly<Record<RecordType, number>> = {
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
};

/** Notes beside the attempts. */
export const ANNOTATION_CODES: Readonly<Record<AnnotationKind, number>> = {
  boot: 0,
  generation: 1,
  session_evicted: 2,
  eviction: 3,
  forced_eviction: 4,
};

export const FINDING_CODES: Readonly<Record<FindingCode, number>> = {
  gap: 0,
  lost_response: 1,
  missignalled_caught_up: 2,
  cursor_lost: 3,
  ids_not_on_wire: 4,
  stalled_delivery: 5,
  duplicate: 6,
  cursor_not_honoured: 7,
  possible_duplicate_execution: 8,
  cross_generation_replay: 9,
  cross_stream_replay: 10,
  cross_session_replay: 11,
  id_reused: 12,
  id_collision: 13,
  id_not_advancing: 14,
  ambiguous_cursor: 15,
  over_refusal: 16,
  wrong_status: 17,
  disguised_refusal: 18,
  unanswered_resume: 19,
  reconnect_loop: 20,
  stream_flap: 21,
  stale_session_loop: 22,
  orphaned_stream: 23,
  zombie_holder: 24,
  session_adopted: 25,
  active_session_expired: 26,
  session_loss_ignored: 27,
  partial_session_loss: 28,
  abandoned_sessions: 29,
  route_not_found: 30,
  silent_client: 31,
  idle_cut: 32,
  header_stripped: 33,
  used_cleared_cursor: 34,
  suppressed_live_events: 35,
};

export const SEVERITY_CODES: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2, critical: 3 };

export const BLAME_CODES: Readonly<Record<Blame, number>> = { server: 0, client: 1, path: 2 };

/** Who gave an attempt its judgement: the facts of its own record, or the history. */
export const JUDGED_BY_CODES = { record: 0, history: 1 } as const;

/** The member that a stored code stands for; a code of a later version is an error, not a guess. */
function decoder<T extends string>(codes: Readonly<Record<T, number>>, members: readonly T[]): (code: number) => T {
  const byCode = new Map(members.map((member) => [codes[member], member]));
  return (code) => {
    const member = byCode.get(code);
    if (member === undefined) throw new RangeError(`unknown stored code ${code}`);
    return member;
  };
}

export const markOfCode = decoder(MARK_CODES, MARKS);
export const assessmentOfCode = decoder(ASSESSMENT_CODES, ASSESSMENTS);
export const reasonOfCode = decoder(REASON_CODES, REASONS);
export const findingCodeOfCode = decoder(FINDING_CODES, Object.values(FINDING_GROUPS).flat());
export const severityOfCode = decoder(SEVERITY_CODES, SEVERITIES);
export const blameOfCode = decoder(BLAME_CODES, BLAMES);
