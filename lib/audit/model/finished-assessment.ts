import { lost } from '@/lib/audit/model/lost';
import type { Attempt, Conn } from '@/lib/audit/model/types';
import { countPositions, type PositionRange } from '@/lib/base/ranges';
import type { Assessment } from '@/lib/resume/attempt-facts';

/**
 * Assessment of an accepted attempt in the light of what its connection was written. A claim of what was
 * replayed is judged by itself; without one, what was written must be the replay: nothing left out before the
 * events that followed, nothing twice, nothing from elsewhere.
 */
export function finishedAssessment(conn: Conn): Assessment {
  const { attempt } = conn;
  if (attempt === null) return 'unverifiable';
  if (attempt.assessment !== 'correct' || attempt.claim !== null) return attempt.assessment;
  if (conn.repeats.count + conn.otherStream.count + conn.otherSession.count + conn.earlier.count > 0n) return 'bad_replay';
  return leftOut(conn, attempt).length > 0 ? 'bad_replay' : 'correct';
}

/** Events that the replay of an accepted attempt left out, as far as the history shows. */
export function eventsLeftOut(conn: Conn): bigint {
  return conn.attempt === null ? 0n : countPositions(leftOut(conn, conn.attempt));
}

function leftOut(conn: Conn, attempt: Attempt): PositionRange[] {
  return lost(conn).filter((range) => range.first < attempt.length);
}
