import { lost } from '@/lib/audit/model/lost';
import type { Conn } from '@/lib/audit/model/types';
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
  const isReplayBroken = lost(conn).some((range) => range.first < attempt.length);
  return isReplayBroken ? 'bad_replay' : 'correct';
}
