import { readPosition } from '../position.js';
import type { ResumeAttemptRecord } from '../telemetry/record.js';

/**
 * Whether an attempt went as it should by all that its own record says. A fact that is missing speaks for
 * nothing; what is left open here is still judged by the intake, since attempts are always told.
 */
export function isPlainResume(attempt: ResumeAttemptRecord): boolean {
  if (attempt.verdict === 'fresh') return true;
  return attempt.verdict === 'resumed' && attempt.cursor !== null && isOfItsGeneration(attempt) && isWhole(attempt);
}

function isOfItsGeneration({ generation, requested_generation: requested }: ResumeAttemptRecord): boolean {
  return requested === undefined || requested === null || String(requested) === String(generation);
}

function isWhole({ holes = [], reused = [], replayed, ...attempt }: ResumeAttemptRecord): boolean {
  if (holes.length > 0 || reused.length > 0) return false;
  const [cursor, floor, head] = [readPosition(attempt.cursor), readPosition(attempt.floor), readPosition(attempt.head)];
  if (cursor === null) return true;
  if (floor !== null && cursor < floor - 1n) return false;
  if (head === null) return true;
  return cursor <= head && (replayed === undefined || replayed === null || BigInt(replayed.count) === head - cursor);
}
