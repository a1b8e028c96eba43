import { lastRangeFrom } from '@/lib/base/ranges';
import { lowestCursorAtFloor } from '@/lib/resume/log-tests';
import type { LogFacts, Policy } from '@/lib/resume/types';

/**
 * Smallest cursor ≥ 0 of the live generation that rows 9 to 13 would let through now, null when none would be.
 * It is exact because every one of those rows is a lower bound on the cursor, and `head` the only upper one.
 */
export function earliestResumableCursor(policy: Policy, log: LogFacts): bigint | null {
  let earliest = lowestCursorAtFloor(policy, log);
  if (log.coveredFrom !== null && log.coveredFrom - 1n > earliest) earliest = log.coveredFrom - 1n;

  const hole = lastRangeFrom(log.holes, log.head);
  const holeEnd = hole === null || hole.last < log.head ? hole?.last : log.head;
  if (holeEnd !== undefined && holeEnd > earliest) earliest = holeEnd;
  const reused = lastRangeFrom(log.reused, log.head);
  if (reused !== null && reused.last >= earliest) earliest = reused.last + 1n;

  if (earliest < 0n) earliest = 0n;
  return earliest > log.head ? null : earliest;
}
