import { ANNOTATION_CODES, ASSESSMENT_CODES, MARK_CODES, REASON_CODES, RECORD_TYPE_CODES, UNDECIDED_CODE } from '@/db/codes';
import { clampToInt64 } from '@/lib/base/int64';
import type { RolledAttempt, RolledRecord } from '@/lib/rollup/increments';
import type { AttemptColumns, RecordToStore } from '@/lib/store/record-to-store';
import type { RowNames } from '@/lib/store/rows';

/** A record as rollups see it. */
export function rolledRecord(record: RecordToStore, names: RowNames): RolledRecord {
  return {
    atMs: record.at,
    server: names.server,
    node: names.node,
    session: record.session,
    type: RECORD_TYPE_CODES[record.type],
    annotation: record.annotation === null ? null : ANNOTATION_CODES[record.annotation],
    attempt: record.attempt === null ? null : rolledAttempt(record.attempt),
  };
}

/** What rollups take of an attempt. */
export type RollableAttempt = Pick<
  AttemptColumns,
  'reason' | 'assessment' | 'mark' | 'isUnavailable' | 'gapCount' | 'replayCount' | 'lead' | 'cursor' | 'floor' | 'head' | 'latencyMs'
>;

/** An attempt as rollups see it. */
export function rolledAttempt(attempt: RollableAttempt): RolledAttempt {
  const { cursor, floor, head } = attempt;
  return {
    reason: attempt.reason === null ? UNDECIDED_CODE : REASON_CODES[attempt.reason],
    assessment: ASSESSMENT_CODES[attempt.assessment],
    mark: MARK_CODES[attempt.mark],
    isUnavailable: attempt.isUnavailable,
    isUnsafe: attempt.mark === 'unsafe_resume',
    gap: attempt.gapCount,
    replay: attempt.replayCount,
    lead: attempt.lead,
    acceptedLead: attempt.mark === 'resumed' ? attempt.lead : null,
    latencyUs: attempt.latencyMs === null ? null : BigInt(Math.round(Math.min(attempt.latencyMs * 1000, Number.MAX_SAFE_INTEGER))),
    // Held as bigint columns: the whole of 2^63 positions is one more than those can say.
    kept: floor === null || head === null ? null : clampToInt64(head - floor + 1n),
    needed: cursor === null || head === null || cursor > head ? null : clampToInt64(head - cursor),
  };
}
