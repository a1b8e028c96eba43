import { type AttemptProof, proveAttempt } from '@/lib/audit/proof';
import type { ProofRow } from '@/lib/resume/proof-ladder';
import { judgedFacts, type ProvedDecision } from '@/lib/wire/judged-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

const BY_HISTORY = 'The history of the session proves it; the numbers were not reported with the attempt';

/**
 * The proof of a judged attempt, also where the history of its session decided and its own record does not suffice:
 * the row that fired is always that of the decision, and a change is named only where its numbers are known.
 */
export function proveJudged(record: ResumeAttemptRecord, decision: ProvedDecision | null): AttemptProof {
  const proof = proveAttempt(judgedFacts(record, decision));
  if (decision?.verdict !== 'refuse' || proof.clause?.reason === decision.reason) return proof;
  const fired = proof.rows.findIndex(({ reason }) => reason === decision.reason);
  const rows = proof.rows.map((row, index): ProofRow => {
    if (index < fired) return row;
    return index === fired ? { ...row, outcome: 'applies', sentence: BY_HISTORY } : { ...row, outcome: 'not_reached' };
  });
  return { clause: rows[fired] ?? null, rows, smallestChange: null };
}
