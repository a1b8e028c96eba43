import { assessmentOfCode, JUDGED_BY_CODES, markOfCode } from '@/db/codes';
import { parseJsonExactly } from '@/lib/base/json';
import { judgeAttempt } from '@/lib/resume/judge';
import { sessionLabel } from '@/lib/store/session-ref';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import { encodeDecision, type JsonDecision } from '@/lib/wire/encode-decision';
import type { AttemptItem } from '@/lib/wire/responses';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** Columns of an attempt that an item is made of. */
export interface AttemptRow {
  readonly id: string;
  readonly at: Date;
  readonly received_at: Date;
  readonly server: string;
  readonly session_ref: string | null;
  readonly assessment: number;
  readonly mark: number;
  readonly judged_by: number;
  /** The decision that the history gave, as JSON text. */
  readonly judgement: string | null;
  readonly body: string;
}

/** An attempt as the API answers it: the members of its record, and the judgement with its numbers. */
export function attemptItem(row: AttemptRow): AttemptItem & ResumeAttemptRecord {
  // The body was validated before it was stored, and nothing else writes it.
  const record = parseJsonExactly(row.body) as ResumeAttemptRecord;
  const { decision, missing } = row.judgement === null ? byRecord(record) : (JSON.parse(row.judgement) as GivenDecision);
  const session = row.session_ref === null ? null : refOfUuid(row.session_ref);
  return {
    ...record,
    id: row.id,
    at: row.at.toISOString(),
    received_at: row.received_at.toISOString(),
    server: row.server,
    session,
    session_label: session === null ? null : sessionLabel(session),
    decision,
    assessment: assessmentOfCode(row.assessment),
    mark: markOfCode(row.mark),
    judged_by: row.judged_by === JUDGED_BY_CODES.history ? 'history' : 'record',
    missing: [...missing],
  } as AttemptItem & ResumeAttemptRecord;
}

interface GivenDecision {
  readonly decision: JsonDecision | null;
  readonly missing: readonly string[];
}

function byRecord(record: ResumeAttemptRecord): GivenDecision {
  const { decision, missing } = judgeAttempt(attemptFacts(record), serverAct(record));
  return { decision: decision === null ? null : encodeDecision(decision), missing };
}

/** A session reference as the API writes it, from its stored form. */
export function refOfUuid(uuid: string): string {
  return uuid.replaceAll('-', '');
}
