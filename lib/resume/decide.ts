import { isCursorText } from '@/lib/resume/cursor-text';
import { decisionFor, type KnownLog } from '@/lib/resume/decision';
import { isBelowFloor, isHoleAhead, isReusedAhead, isUncovered } from '@/lib/resume/log-tests';
import { hasResumption } from '@/lib/resume/protocol-era';
import type { Decision, LogFacts, Policy, Reason, ResumeRequest, SessionFacts } from '@/lib/resume/types';

/**
 * Decides what a resume attempt deserves. A pure function of (session, generation, log, cursor): a number that
 * happens to be in range proves nothing by itself. The first row of the contract's table (section 2) that
 * applies wins, so the order of the tests is the rule, not a detail.
 *
 * Guarantees: `gap` is given only for `below_floor` and `hole`; `replay` exactly for `ok`. Never throws.
 * The caller has proved that `log.floor <= log.head + 1` and that ranges are sorted and disjoint.
 */
export function decide(policy: Policy, session: SessionFacts, log: LogFacts, request: ResumeRequest): Decision {
  const known: KnownLog = { policy, log, cursor: request.cursor };
  return decisionFor(reasonFor(policy, session, log, request), known);
}

/** The row that applies, for callers that want no numbers; `verdictOf` says its verdict. */
export function reasonFor(policy: Policy, session: SessionFacts, log: LogFacts, request: ResumeRequest): Reason {
  if (!hasResumption(request.protocolVersion)) return 'protocol_era';
  if (session.state === 'unknown') return 'session_unknown';
  if (session.state === 'evicted') return 'session_evicted';
  if (session.state === 'superseded') return 'session_superseded';

  const hasText = request.lastEventId !== null && request.lastEventId !== '';
  if (request.cursor === null && !hasText) return 'no_cursor';
  if (hasText && !isCursorText(request.lastEventId)) return 'malformed_cursor';
  if (request.cursor === null) return 'unknown_cursor';
  if (request.generation === null) return 'generation_unknown';
  if (request.generation !== session.generation) return 'generation_mismatch';
  return reasonInLog(policy, log, request.cursor);
}

/** Rows 9 to 14: the cursor is known to be of the live generation, only the log can refuse it now. */
export function reasonInLog(policy: Policy, log: LogFacts, cursor: bigint): Reason {
  if (cursor > log.head) return 'ahead_of_head';
  if (isUncovered(log, cursor)) return 'no_coverage';
  if (isBelowFloor(policy, log, cursor)) return 'below_floor';
  if (isHoleAhead(log, cursor)) return 'hole';
  if (isReusedAhead(log, cursor)) return 'id_reused';
  return 'ok';
}
