import type { ReplayState } from '@/components/api/use-replay';
import { countOf, formatCount } from '@/components/format/count';
import type { ReplayedResume, ReplayPlan } from '@/lib/incidents/replay-schema';
import type { Mark } from '@/lib/resume/mark';

/** What will be sent, for the one who has to say yes to it. */
export function planWords(plan: ReplayPlan, url: string, speed: number, rate: number): string {
  const leftOut = plan.calls_left_out === 0 ? '' : ` ${countOf(plan.calls_left_out, 'call')} left out.`;
  return `Send ${countOf(plan.steps, 'step')} of ${countOf(plan.sessions, 'session')}, ${countOf(plan.resumes, 'resume')} among them, to ${url}. This takes about ${durationWords(leastMs(plan, speed, rate))}.${leftOut}`;
}

/** A replay takes the recorded time at its pace, and no less than its requests take at their rate. */
function leastMs({ steps, sessions, recorded_ms }: ReplayPlan, speed: number, rate: number): number {
  return Math.max(recorded_ms / speed, ((steps + sessions) / rate) * 1_000);
}

function durationWords(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  return seconds < 120 ? countOf(seconds, 'second') : countOf(Math.round(seconds / 60), 'minute');
}

/** Where a replay stands, in one sentence. */
export function replayWords(state: Exclude<ReplayState, { kind: 'idle' | 'failed' }>): string {
  if (state.kind === 'running')
    return state.steps === 0 ? 'Starting.' : `${formatCount(state.done)} of ${countOf(state.steps, 'step')} done.`;
  if (state.kind === 'stopped') return `Stopped after ${countOf(state.items.length, 'resume')}. The opened sessions are being ended.`;
  const { resumes, as_recorded: same, against_rules: against, is_whole: isWhole } = state.result;
  const verdict = against === 0 ? 'nothing was resumed that the rules refuse' : `${countOf(against, 'resume')} went against the rules`;
  return `${isWhole ? '' : 'The time ran out. '}${countOf(resumes, 'resume')}: ${formatCount(same)} ended as recorded, ${verdict}.`;
}

const withStatus = (verdict: string, status: number | null): string => (status === null ? verdict : `${verdict}, ${status}`);

export const recordedWords = ({ recorded }: ReplayedResume): string => withStatus(recorded.verdict, recorded.status);

export const rulesWords = ({ rules }: ReplayedResume): string =>
  rules === null ? 'open: facts are missing' : `${rules.verdict}, ${rules.reason}`;

export function actualWords({ actual }: ReplayedResume): string {
  return `${withStatus(actual.verdict, actual.status)}${actual.code === null ? '' : ` (${actual.code})`}`;
}

/**
 * The mark of what the target did now, judged by the rules on the recorded facts. To refuse a recorded cursor is no fault: the target
 * itself never issued it.
 */
export function actualMark({ rules, actual, is_recorded_cursor: isForeign }: ReplayedResume): Mark {
  if (actual.verdict === 'failed' || rules === null) return 'unverifiable';
  if (actual.verdict === 'resumed') return rules.verdict === 'refuse' ? 'unsafe_resume' : 'resumed';
  return rules.verdict === 'refuse' || isForeign ? 'refused' : 'over_refusal';
}
