import type { Finding } from '@/lib/audit/finding';
import type { Assessment } from '@/lib/resume/attempt-facts';
import { judgeAttempt } from '@/lib/resume/judge';
import { type ProofRow, proofLadder } from '@/lib/resume/proof-ladder';
import type { Decision } from '@/lib/resume/types';
import type { AttemptCase } from '@/lib/whatif/attempt-case';
import { casesOfHistory } from '@/lib/whatif/cases-of-history';
import { serverAct } from '@/lib/wire/attempt-facts';
import { encodeDecision, type JsonDecision } from '@/lib/wire/encode-decision';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';

/** The record that broke the rules first, with what should have been there. */
export interface IllegalEvent {
  readonly index: number;
  readonly sentence: string;
}

/** Why a resume attempt was right or wrong, in words with its numbers. */
export interface Explanation {
  readonly index: number;
  readonly assessment: Assessment;
  /** Numbers are those of the records; null when the facts leave more than one verdict open. */
  readonly decision: JsonDecision | null;
  readonly sentence: string;
  readonly proof: readonly ProofRow[];
  readonly firstIllegal: IllegalEvent | null;
  /** What was lost or doubled and which calls it hurt, one sentence each. */
  readonly consequences: readonly string[];
}

/** What the whole history makes of one attempt. */
export interface JudgedAttempt {
  readonly index: number;
  readonly assessment: Assessment;
  /** In the numbers of the records; null when the facts leave more than one verdict open. */
  readonly decision: Decision | null;
}

/** A history whose attempts are judged, to be explained one by one as they are looked at. */
export interface Explainer {
  /** Every attempt, in order. */
  readonly attempts: readonly JudgedAttempt[];
  /** Its cases, for what could have been otherwise. */
  readonly cases: readonly AttemptCase[];
  /** The explanation of record `index`; null when that is no attempt. `findings` are those of the audit of the same records. */
  readonly explain: (index: number, findings?: readonly Finding[]) => Explanation | null;
}

/** Judges every attempt of a history once. */
export function createExplainer(records: readonly TelemetryRecord[]): Explainer {
  const cases = casesOfHistory(records);
  const byIndex = new Map(cases.map((attempt) => [attempt.index, attempt]));
  const attempts = cases.flatMap((attempt): JudgedAttempt[] => {
    const record = records[attempt.index];
    if (record?.type !== 'resume_attempt') return [];
    const act = serverAct(record);
    const { assessment } = judgeAttempt(attempt.facts, act);
    return [{ index: attempt.index, assessment, decision: judgeAttempt(attempt.shown, act).decision }];
  });
  return {
    attempts,
    cases,
    explain: (index, findings = []) => {
      const attempt = byIndex.get(index);
      const record = records[index];
      return attempt === undefined || record?.type !== 'resume_attempt' ? null : explainAttempt(records, attempt, record, findings);
    },
  };
}

/** Explains every resume attempt of a history. `findings` are those of the audit of the same records. */
export function explainHistory(records: readonly TelemetryRecord[], findings: readonly Finding[] = []): Explanation[] {
  const { cases, explain } = createExplainer(records);
  return cases.flatMap(({ index }) => explain(index, findings) ?? []);
}

function explainAttempt(
  records: readonly TelemetryRecord[],
  attempt: AttemptCase,
  record: ResumeAttemptRecord,
  findings: readonly Finding[],
): Explanation {
  const act = serverAct(record);
  const { assessment } = judgeAttempt(attempt.facts, act);
  const { decision, missing } = judgeAttempt(attempt.shown, act);
  const proof = proofLadder(attempt.shown);
  const applied = proof.find(({ outcome }) => outcome === 'applies');
  return {
    index: attempt.index,
    assessment,
    decision: decision === null ? null : encodeDecision(decision),
    sentence: sentenceOf(record, assessment, decision, applied?.sentence ?? null, missing),
    proof,
    firstIllegal: assessment === 'unsafe_resume' || assessment === 'bad_replay' ? firstIllegalOf(records, attempt, record) : null,
    consequences: findings.filter((finding) => concernsAttempt(finding, attempt.index, record)).flatMap(wordsOf),
  };
}

/** Whether a finding is about the attempt at `index`: proved by it, or about what its connection was sent. */
export const concernsAttempt = (finding: Finding, index: number, record: ResumeAttemptRecord): boolean =>
  finding.index === index || finding.records.includes(index) || (finding.conn !== null && finding.conn === record.conn);

const wordsOf = (finding: Finding): string[] => [finding.message, ...finding.consequences.map(({ message }) => message)];

function sentenceOf(
  record: ResumeAttemptRecord,
  assessment: Assessment,
  decision: Decision | null,
  clause: string | null,
  missing: readonly string[],
): string {
  const did = `The server ${DID[record.verdict]}${typeof record.status === 'number' ? ` with ${record.status}` : ''}`;
  if (assessment === 'unverifiable' || decision === null)
    return `${did}; ${missing.length === 0 ? 'the records' : missing.join(', ')} would have to be reported to judge it.`;
  const because = clause === null ? decision.reason : `${clause} (${decision.reason})`;
  switch (assessment) {
    case 'not_applicable':
      return `${did}. ${because}.`;
    case 'unsafe_resume':
      return `${did} and should have refused with ${decision.status}: ${because}.`;
    case 'bad_replay':
      return `${did}, rightly, but did not replay ${replayWords(decision)}.`;
    case 'over_refusal':
      return `${did} and could have resumed: ${because}.`;
    case 'wrong_status':
      return `${did}, rightly, but the status should be ${decision.status}: ${because}.`;
    default:
      return `${did}, rightly: ${because}.`;
  }
}

const DID = { resumed: 'resumed', refused: 'refused', fresh: 'began anew', failed: 'failed' } as const;

function replayWords({ replay }: Decision): string {
  if (replay === null || replay.count === 0n) return 'nothing, as it should have';
  return replay.count === 1n ? `${replay.from} alone` : `${replay.from} to ${replay.to} in order`;
}

/** The first frame written after the attempt, beside the position that was due. */
function firstIllegalOf(
  records: readonly TelemetryRecord[],
  { index, shown }: AttemptCase,
  { conn }: ResumeAttemptRecord,
): IllegalEvent | null {
  if (conn === undefined || typeof shown.cursor !== 'bigint') return null;
  for (let next = index + 1; next < records.length; next++) {
    const record = records[next];
    if (record === undefined || !('conn' in record) || record.conn !== conn || record.session !== records[index]?.session) continue;
    if (record.type === 'close') return null;
    if (record.type !== 'deliver') continue;
    const first = record.range?.[0] ?? record.event_ids?.[0];
    if (first !== undefined)
      return { index: next, sentence: `Record ${next} writes ${first} first; after ${shown.cursor} the next event of its log was due.` };
  }
  return null;
}
