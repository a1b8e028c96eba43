import type { AttemptFacts } from '@/lib/resume/attempt-facts';
import type { Buffer } from '@/lib/whatif/change';
import { attemptFacts } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** One recorded attempt, ready to be decided again. */
export interface AttemptCase {
  /** Place of the attempt in the records it came from. */
  readonly index: number;
  readonly facts: AttemptFacts;
  /** The same facts in the numbers of the records, to be shown. */
  readonly shown: AttemptFacts;
  /** Lowest position that a buffer would still have held; null when the records do not tell (no sizes, no clock). */
  readonly floorUnder: (buffer: Buffer) => bigint | null;
  /** The facts as they stood, or would have stood, `ms` after the client's last connection closed; null when unknown. */
  readonly factsAfterAway: ((ms: number) => AttemptCase | null) | null;
  /** Milliseconds since the client's last connection closed; null when unknown. */
  readonly awayMs: number | null;
}

/**
 * A case from one attempt without its history: the numbers it reports are all there is, so a buffer is measured
 * in events only.
 */
export function caseOfAttempt(record: ResumeAttemptRecord, index: number): AttemptCase {
  const facts = attemptFacts(record);
  return { index, facts, shown: facts, floorUnder: (buffer) => floorByCount(facts, buffer), factsAfterAway: null, awayMs: null };
}

function floorByCount({ head }: AttemptFacts, buffer: Buffer): bigint | null {
  if (head === undefined || buffer.bytes !== undefined || buffer.ttl_ms !== undefined) return null;
  if (buffer.events === undefined) return 0n;
  const floor = head - BigInt(buffer.events) + 1n;
  return floor < 0n ? 0n : floor;
}
