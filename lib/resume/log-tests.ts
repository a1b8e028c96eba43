import { lastRangeFrom, type PositionRange } from '@/lib/base/ranges';
import type { LogFacts, Policy } from '@/lib/resume/types';

/** Row 10: this replica began listening after the cursor. */
export function isUncovered(log: LogFacts, cursor: bigint): boolean {
  return log.coveredFrom !== null && cursor < log.coveredFrom - 1n;
}

/** Lowest cursor that the policy's floor rule lets through, before any other row is asked. May be −1. */
export function lowestCursorAtFloor(policy: Policy, log: LogFacts): bigint {
  return policy.floor === 'retained' ? log.floor : log.floor - 1n;
}

/** Row 11: below the floor, by the policy's floor rule. */
export function isBelowFloor(policy: Policy, log: LogFacts, cursor: bigint): boolean {
  return cursor < lowestCursorAtFloor(policy, log);
}

/** Row 12: a position in `(cursor, head]` is missing inside the log. */
export function isHoleAhead(log: LogFacts, cursor: bigint): boolean {
  return overlaps(log.holes, cursor + 1n, log.head);
}

/** Row 13: a position in `[cursor, head]` was issued more than once. */
export function isReusedAhead(log: LogFacts, cursor: bigint): boolean {
  return overlaps(log.reused, cursor, log.head);
}

function overlaps(ranges: readonly PositionRange[], first: bigint, last: bigint): boolean {
  if (first > last) return false;
  const range = lastRangeFrom(ranges, last);
  return range !== null && range.last >= first;
}
