import type { AuditedResume } from '@/lib/audit/finding';
import { eventsLeftOut, finishedAssessment } from '@/lib/audit/model/finished-assessment';
import type { PendingAttempt } from '@/lib/audit/model/state';
import { encodePosition } from '@/lib/base/position';

/** What is said of an attempt, noted as said. */
export function tellAttempt(pending: PendingAttempt): AuditedResume {
  const told = describeAttempt(pending);
  pending.attempt.told = told.assessment;
  return told;
}

/** What can be said of an attempt now; one whose connection is open may yet be found wanting. */
export function describeAttempt({ attempt, conn, name, session }: PendingAttempt): AuditedResume {
  const assessment = conn === null ? attempt.assessment : finishedAssessment(conn);
  const leftOut = assessment === 'bad_replay' && conn !== null ? eventsLeftOut(conn) : 0n;
  return {
    index: attempt.index,
    conn: name,
    session,
    decision: attempt.decision,
    assessment,
    left_out: leftOut === 0n ? null : encodePosition(leftOut),
    missing: attempt.missing,
  };
}
