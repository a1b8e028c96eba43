import type { Attempt } from '@/components/api/attempt';
import { proveJudged } from '@/lib/audit/prove-judged';

export interface SmallestChange {
  /** The fact, by its name on the wire. */
  readonly fact: string;
  readonly from: string;
  readonly to: string;
  readonly sentence: string;
}

/**
 * The smallest change that would have made an attempt right: of what the server did where the rules were broken by
 * the answer alone, else of one fact that the fired row reads. Null where nothing was wrong or refused.
 */
export function smallestChangeOf(attempt: Attempt): SmallestChange | null {
  const status = attempt.decision?.status;
  if (attempt.mark === 'over_refusal')
    return {
      fact: 'status',
      from: told(attempt.status),
      to: '200',
      sentence: 'Everything after the cursor was retained, so a resume was due.',
    };
  if (attempt.assessment === 'wrong_status')
    return {
      fact: 'status',
      from: told(attempt.status),
      to: told(status),
      sentence: 'The refusal was right; its status tells the client something else.',
    };
  if (attempt.mark !== 'refused' && attempt.mark !== 'unsafe_resume') return null;
  return proveJudged(attempt, attempt.decision).smallestChange;
}

const told = (status: number | null | undefined) => (status === null ? 'none' : String(status ?? 'not reported'));
