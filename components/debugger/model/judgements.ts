import type { History } from '@/components/debugger/model/history';
import type { Explainer, JudgedAttempt } from '@/lib/replay/explain';
import { judgeAttempt } from '@/lib/resume/judge';
import { MARKS, type Mark, markOf } from '@/lib/resume/mark';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** An attempt of a history with its mark. */
export interface MarkedAttempt {
  readonly index: number;
  readonly mark: Mark;
  readonly isRefusal: boolean;
  readonly judged: JudgedAttempt | null;
}

/**
 * The attempts of a history, each with its mark: the one it was stored with, else that of the whole history, else
 * (until the history is judged) what its own record tells.
 */
export function markAttempts(history: History, explainer: Explainer | null): MarkedAttempt[] {
  const judged = new Map(explainer?.attempts.map((attempt) => [attempt.index, attempt]));
  const attempts: MarkedAttempt[] = [];
  for (const [index, record] of history.records.entries()) {
    if (record.type !== 'resume_attempt') continue;
    const known = judged.get(index) ?? null;
    attempts.push({
      index,
      mark: storedMark(record) ?? markOfJudged(known) ?? ownMark(record),
      isRefusal: isRefusal(record),
      judged: known,
    });
  }
  return attempts;
}

const markOfJudged = (judged: JudgedAttempt | null): Mark | null =>
  judged === null ? null : markOf(judged.assessment, judged.decision?.verdict ?? null);

function ownMark(record: ResumeAttemptRecord): Mark {
  const { assessment, decision } = judgeAttempt(attemptFacts(record), serverAct(record));
  return markOf(assessment, decision?.verdict ?? null);
}

/** Attempts that come from the store carry their mark beside the members of their record. */
function storedMark(record: ResumeAttemptRecord): Mark | null {
  const mark: unknown = 'mark' in record ? record.mark : null;
  return MARKS.find((one) => one === mark) ?? null;
}

const isRefusal = (record: ResumeAttemptRecord): boolean => record.verdict === 'refused';
