import { type Finding, SEVERITIES, type Severity } from '@/lib/audit/finding';
import { evidenceOfFinding } from '@/lib/incidents/evidence';
import { CAUSES, type Evidence, type Incident, keyOf } from '@/lib/incidents/incident';
import { addEvidence, NO_TOLL, severityOf, worse } from '@/lib/incidents/toll';

/** What is known of a history besides its findings. */
export interface HistoryFacts {
  readonly server: string;
  /** Epoch milliseconds; 0 where no record carries a clock. */
  readonly openedAt: number;
  readonly lastEvidenceAt: number;
  readonly sessions: readonly string[];
  /** Resume attempts that were judged unsafe. */
  readonly unsafe: number;
}

/**
 * The incident that the findings of a whole history add up to, as the machine would say it; null when none of them
 * speaks for an incident. Its cause is the first of `CAUSES` that any finding names.
 */
export function incidentOfHistory(findings: readonly Finding[], facts: HistoryFacts): Incident | null {
  const evidence = findings.flatMap((finding) => evidenceOfFinding(finding, finding.session, facts.lastEvidenceAt) ?? []);
  const cause = CAUSES.find((candidate) => evidence.some((piece) => piece.cause === candidate));
  if (cause === undefined) return null;
  const toll = { ...evidence.reduce(addEvidence, NO_TOLL), attempts: facts.unsafe, sessions: facts.sessions };
  return {
    key: keyOf(cause, facts.server),
    server: facts.server,
    cause,
    state: 'open',
    severity: worstOf(evidence, severityOf(cause, toll)),
    openedAt: facts.openedAt,
    lastEvidenceAt: facts.lastEvidenceAt,
    settledAt: null,
    reopened: 0,
    mergedInto: null,
    toll,
  };
}

/** The worst severity of findings, at least `least`. */
export function worstOf(findings: readonly (Finding | Evidence)[], least: Severity = SEVERITIES[0]): Severity {
  return findings.reduce<Severity>((worst, { severity }) => worse(worst, severity), least);
}
