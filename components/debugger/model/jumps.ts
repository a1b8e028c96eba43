import type { Step } from '@/components/api/timeline';
import { countUpTo } from '@/components/debugger/model/history';
import type { MarkedAttempt } from '@/components/debugger/model/judgements';
import type { PlotAttempt } from '@/components/plot/plot-data';
import { parsePosition } from '@/lib/base/position';

/** Places that one can jump to, each list in order. */
export interface JumpTargets {
  /** Attempts that were refused or had to be. */
  readonly refusals: readonly number[];
  readonly findings: readonly number[];
  /** Records from which on another numbering holds. */
  readonly generations: readonly number[];
}

export function jumpTargets(steps: readonly Step[], marks: ReadonlyMap<number, MarkedAttempt>, findings: readonly number[]): JumpTargets {
  const refusals: number[] = [];
  const generations: number[] = [];
  let generation: string | null = null;
  for (const { index, state } of steps) {
    const attempt = marks.get(index);
    if (attempt !== undefined && (attempt.isRefusal || MUST_BE_REFUSED.has(attempt.mark))) refusals.push(index);
    if (state.generation !== null && state.generation !== generation) {
      if (generation !== null) generations.push(index);
      generation = state.generation;
    }
  }
  return { refusals, generations, findings: [...new Set(findings)].sort((a, b) => a - b) };
}

const MUST_BE_REFUSED: ReadonlySet<string> = new Set(['unsafe_resume', 'refused', 'over_refusal']);

/** The target after (or before) a place; null where there is none. */
export function nextTarget(targets: readonly number[], index: number, by: 1 | -1): number | null {
  const upTo = countUpTo(targets, by === 1 ? index : index - 1);
  return targets[by === 1 ? upTo : upTo - 1] ?? null;
}

/** The last record after which a cursor could still be served whole, and the one that ended that. */
export interface LastSafe {
  readonly index: number;
  readonly endedBy: number;
  readonly cursor: bigint;
}

/**
 * Goes back from an attempt to the last moment its cursor was safe: its generation live, nothing after it missing.
 * The attempt is the one at `index`, else the newest before it, else the first after it. Null when its cursor was
 * never safe in what is recorded, or is still.
 */
export function lastSafeBefore(steps: readonly Step[], plotted: ReadonlyMap<number, PlotAttempt>, index: number): LastSafe | null {
  const place = subjectOf(steps, plotted, index);
  const subject = steps[place];
  const cursor = subject === undefined ? null : (plotted.get(subject.index)?.cursor ?? null);
  if (subject?.record.type !== 'resume_attempt' || cursor === null) return null;
  const asked = subject.record.requested_generation;
  const generation = asked === undefined || asked === null ? null : String(asked);
  for (let before = place; before >= 0; before--) {
    const step = steps[before];
    if (step === undefined || !isSafe(step, cursor, generation)) continue;
    const ending = steps[before + 1];
    return before === place || ending === undefined ? null : { index: step.index, endedBy: ending.index, cursor };
  }
  return null;
}

function subjectOf(steps: readonly Step[], plotted: ReadonlyMap<number, PlotAttempt>, index: number): number {
  const isSubject = (step: Step): boolean => plotted.get(step.index)?.cursor != null;
  const before = steps.findLastIndex((step) => step.index <= index && isSubject(step));
  return before >= 0 ? before : steps.findIndex((step) => step.index > index && isSubject(step));
}

function isSafe({ state }: Step, cursor: bigint, generation: string | null): boolean {
  const [floor, head] = [parsePosition(state.floor), parsePosition(state.head)];
  if (generation !== null && state.generation !== null && state.generation !== generation) return false;
  if (floor === null || head === null || cursor > head || cursor < floor - 1n) return false;
  return state.holes.every(([, last]) => (parsePosition(last) ?? 0n) <= cursor);
}
