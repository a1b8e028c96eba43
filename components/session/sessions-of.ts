import type { Attempt } from '@/components/api/attempt';
import { gapCount } from '@/components/attempts/attempt-sentence';
import { MARKS, type Mark } from '@/lib/resume/mark';

export interface SessionLine {
  readonly ref: string;
  readonly label: string;
  readonly server: string;
  readonly attempts: number;
  readonly worst: Mark;
  readonly marks: Readonly<Record<Mark, number>>;
  /** Events that were missing in unsafe resumes, as far as they can be counted. */
  readonly lost: bigint;
  readonly newestAt: string;
}

/** The sessions of a list of attempts (newest first), in the order of their newest attempt. */
export function sessionsOf(attempts: readonly Attempt[]): SessionLine[] {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    if (attempt.session === null) continue;
    const group = groups.get(attempt.session);
    if (group === undefined) groups.set(attempt.session, [attempt]);
    else group.push(attempt);
  }
  return [...groups].flatMap(([ref, group]) => {
    const [newest] = group;
    return newest === undefined ? [] : [lineOf(ref, newest, group)];
  });
}

function lineOf(ref: string, newest: Attempt, group: readonly Attempt[]): SessionLine {
  const count = (mark: Mark) => group.filter((attempt) => attempt.mark === mark).length;
  const lost = group.reduce((sum, attempt) => sum + (attempt.mark === 'unsafe_resume' ? BigInt(gapCount(attempt) ?? 0) : 0n), 0n);
  return {
    ref,
    label: newest.session_label ?? ref,
    server: newest.server,
    attempts: group.length,
    worst: MARKS.find((mark) => count(mark) > 0) ?? 'fresh',
    marks: {
      unsafe_resume: count('unsafe_resume'),
      bad_replay: count('bad_replay'),
      over_refusal: count('over_refusal'),
      refused: count('refused'),
      resumed: count('resumed'),
      fresh: count('fresh'),
      unverifiable: count('unverifiable'),
    },
    lost,
    newestAt: newest.at,
  };
}
