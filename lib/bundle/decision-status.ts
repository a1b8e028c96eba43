import { decisionFor } from '@/lib/resume/decision';
import type { Decision, Reason } from '@/lib/resume/types';

/** HTTP status that the rules give to a reason. */
export function decisionStatus(reason: Reason): Decision['status'] {
  return decisionFor(reason, null).status;
}
