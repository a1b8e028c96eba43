import type { Assessment } from '@/lib/resume/attempt-facts';
import type { Verdict } from '@/lib/resume/types';

/**
 * How an attempt is drawn everywhere: one mark, one meaning. It folds assessment and verdict into the seven
 * shapes of the design: a correct act is a safe resume or a rightful refusal, `wrong_status` is a refusal.
 */
export const MARKS = ['unsafe_resume', 'bad_replay', 'over_refusal', 'refused', 'resumed', 'fresh', 'unverifiable'] as const;

export type Mark = (typeof MARKS)[number];

/** The mark of a judged attempt; `verdict` is what the rules say, null when they cannot tell. */
export function markOf(assessment: Assessment, verdict: Verdict | null): Mark {
  switch (assessment) {
    case 'not_applicable':
      return 'fresh';
    case 'wrong_status':
      return 'refused';
    case 'correct':
      return verdict === 'resume' ? 'resumed' : 'refused';
    default:
      return assessment;
  }
}
