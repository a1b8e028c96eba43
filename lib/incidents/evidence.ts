import type { Finding, FindingCode } from '@/lib/audit/finding';
import { parsePosition } from '@/lib/base/position';
import type { Cause, Evidence } from '@/lib/incidents/incident';
import type { Assessment } from '@/lib/resume/attempt-facts';
import type { Reason } from '@/lib/resume/types';

/** What a judged attempt contributes. */
export interface JudgedAttempt {
  readonly at: number;
  readonly server: string;
  readonly session: string | null;
  readonly assessment: Assessment;
  readonly decision: { readonly reason: Reason; readonly gap: { readonly count: number | string } | null } | null;
}

const CAUSE_OF_REASON: Readonly<Partial<Record<Reason, Cause>>> = {
  below_floor: 'skipped_events',
  hole: 'skipped_events',
  no_coverage: 'skipped_events',
  generation_mismatch: 'former_generation',
  generation_unknown: 'former_generation',
  id_reused: 'former_generation',
  session_superseded: 'former_generation',
};

const CAUSE_OF_FINDING: Readonly<Partial<Record<FindingCode, Cause>>> = {
  gap: 'skipped_events',
  lost_response: 'skipped_events',
  missignalled_caught_up: 'skipped_events',
  cross_generation_replay: 'former_generation',
  id_reused: 'former_generation',
  cross_session_replay: 'cross_session_replay',
  possible_duplicate_execution: 'doubled_calls',
  reconnect_loop: 'reconnect_storm',
  stream_flap: 'reconnect_storm',
  stale_session_loop: 'reconnect_storm',
};

/** Any unsafe resume speaks for an incident; other attempts do so only by their rates. */
export function evidenceOfAttempt({ at, server, session, assessment, decision }: JudgedAttempt): Evidence | null {
  if (assessment !== 'unsafe_resume') return null;
  const lost = parsePosition(decision?.gap?.count);
  return {
    at,
    server,
    session,
    cause: (decision === null ? undefined : CAUSE_OF_REASON[decision.reason]) ?? 'unknown_cursor',
    severity: 'error',
    attempts: 1,
    events: { of: 'attempt', count: lost ?? 0n, exact: lost !== null },
    callsLost: 0,
    callsDoubled: 0,
    finding: null,
  };
}

/** What an incident that a finding speaks for is about; null for faults that are told on their own pages only. */
export function causeOfFinding(code: FindingCode): Cause | null {
  return CAUSE_OF_FINDING[code] ?? null;
}

/** A finding that speaks for an incident; null for faults that are told on their own pages only. */
export function evidenceOfFinding(finding: Finding, session: string | null, at: number): Evidence | null {
  const cause = causeOfFinding(finding.code);
  if (cause === null) return null;
  const isLoss = cause !== 'reconnect_storm' && cause !== 'doubled_calls';
  return {
    at,
    server: finding.server,
    session,
    cause,
    severity: finding.severity,
    attempts: 0,
    events: isLoss
      ? { of: 'finding', count: finding.code === 'gap' ? (parsePosition(finding.count) ?? 0n) : 0n, exact: finding.exact }
      : null,
    callsLost: finding.code === 'lost_response' ? Number(finding.count) : 0,
    callsDoubled: finding.code === 'possible_duplicate_execution' ? Number(finding.count) : 0,
    finding: finding.code,
  };
}
