import {
  ASSESSMENT_CODES,
  assessmentOfCode,
  JUDGED_BY_CODES,
  MARK_CODES,
  markOfCode,
  REASON_CODES,
  reasonOfCode,
  VERDICT_CODES,
} from '@/db/codes';
import type { Tx } from '@/db/transactions';
import type { AuditedResume } from '@/lib/audit/finding';
import { clampToInt64 } from '@/lib/base/int64';
import { parsePosition } from '@/lib/base/position';
import { markOf } from '@/lib/resume/mark';
import { moveAttempt, noIncrements } from '@/lib/rollup/increments';
import { writeIncrements } from '@/lib/rollup/increments-text';
import { type RollableAttempt, rolledAttempt } from '@/lib/store/rolled-record';

interface AttemptRow {
  readonly at: Date;
  readonly id: string;
  readonly place: string;
  readonly session_ref: string | null;
  readonly reason: number | null;
  readonly assessment: number;
  readonly mark: number;
  readonly is_unavailable: boolean;
  readonly gap_count: string | null;
  readonly replay_count: string | null;
  readonly lead: string | null;
  readonly cursor: string | null;
  readonly floor: string | null;
  readonly head: string | null;
  readonly latency_ms: number | null;
}

/**
 * Gives attempts the judgement that the history proves, where it says more or other than their own records do, and
 * leaves the difference for the rollups. Answers how many changed; a second time nothing does.
 */
export async function rejudge(tx: Tx, server: number, resumes: readonly AuditedResume[]): Promise<number> {
  const byPlace = new Map(resumes.filter(({ assessment }) => assessment !== 'unverifiable').map((resume) => [resume.index, resume]));
  if (byPlace.size === 0) return 0;
  const { rows } = await tx.query<AttemptRow>({
    name: 'attempts to rejudge',
    text: `select at, id, place::text, session_ref::text, reason, assessment, mark, is_unavailable, gap_count::text, replay_count::text,
        lead::text, cursor::text, floor::text, head::text, latency_ms
      from attempt where server_id = $1 and place = any($2::bigint[]) order by at, id for update`,
    values: [server, [...byPlace.keys()]],
  });
  const increments = noIncrements();
  const changed: (string | number | null)[][] = [];
  for (const row of rows) {
    const resume = byPlace.get(Number(row.place));
    if (resume === undefined) continue;
    const before = attemptOf(row);
    const after = judgedBy(before, resume);
    if (after.reason === before.reason && after.assessment === before.assessment) continue;
    const place = { atMs: row.at.getTime(), server, session: row.session_ref?.replaceAll('-', '') ?? null };
    moveAttempt(increments, place, rolledAttempt(before), rolledAttempt(after));
    changed.push(columnsOf(row, after, resume));
  }
  if (changed.length === 0) return 0;
  await tx.query({
    name: 'rejudge',
    text: `update attempt a set verdict = g.verdict, reason = g.reason, assessment = g.assessment, mark = g.mark, gap_count = g.gap_count,
        replay_count = g.replay_count, judged_by = ${JUDGED_BY_CODES.history}, judgement = g.judgement
      from unnest($1::timestamptz[], $2::uuid[], $3::smallint[], $4::smallint[], $5::smallint[], $6::smallint[], $7::bigint[], $8::bigint[], $9::text[])
        as g (at, id, verdict, reason, assessment, mark, gap_count, replay_count, judgement)
      where a.at = g.at and a.id = g.id`,
    values: Array.from({ length: 9 }, (_, column) => changed.map((row) => row[column] ?? null)),
  });
  await tx.query({
    name: 'note rejudged',
    text: 'insert into pending_rollup (increments) values ($1)',
    values: [writeIncrements(increments)],
  });
  return changed.length;
}

const bigintOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

function attemptOf(row: AttemptRow): RollableAttempt {
  return {
    reason: row.reason === null ? null : reasonOfCode(row.reason),
    assessment: assessmentOfCode(row.assessment),
    mark: markOfCode(row.mark),
    isUnavailable: row.is_unavailable,
    gapCount: bigintOf(row.gap_count),
    replayCount: bigintOf(row.replay_count),
    lead: bigintOf(row.lead),
    cursor: bigintOf(row.cursor),
    floor: bigintOf(row.floor),
    head: bigintOf(row.head),
    latencyMs: row.latency_ms,
  };
}

/** The attempt as the history judges it; what it reported stays as it is. */
function judgedBy(attempt: RollableAttempt, { decision, assessment, left_out: leftOut }: AuditedResume): RollableAttempt {
  const gap = assessment === 'bad_replay' ? leftOut : (decision?.gap?.count ?? null);
  return {
    ...attempt,
    reason: decision?.reason ?? null,
    assessment,
    mark: markOf(assessment, decision?.verdict ?? null),
    gapCount: storable(parsePosition(gap)),
    replayCount: storable(parsePosition(decision?.replay?.count ?? null)),
  };
}

const storable = (count: bigint | null): bigint | null => (count === null ? null : clampToInt64(count));

function columnsOf(row: AttemptRow, attempt: RollableAttempt, resume: AuditedResume): (string | number | null)[] {
  const { decision, missing } = resume;
  return [
    row.at.toISOString(),
    row.id,
    decision === null ? null : VERDICT_CODES[decision.verdict],
    attempt.reason === null ? null : REASON_CODES[attempt.reason],
    ASSESSMENT_CODES[attempt.assessment],
    MARK_CODES[attempt.mark],
    attempt.gapCount?.toString() ?? null,
    attempt.replayCount?.toString() ?? null,
    JSON.stringify({ decision, missing }),
  ];
}
