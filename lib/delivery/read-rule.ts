import { catchUp, type MissedEpisode, missedInstants } from '@/lib/alerting/catch-up';
import { type Effect, evaluate, NEW_RULE_STATE, type Reading, type RuleState } from '@/lib/alerting/evaluate';
import type { Rule } from '@/lib/alerting/rule';
import { type Bucket, lookbackMs, samplesAt } from '@/lib/alerting/sample';
import type { StoredRule } from '@/lib/delivery/evaluation-store';
import type { MeasureSource } from '@/lib/delivery/measure-source';

/** A pause in evaluating from which the instants between are caught up. */
export const ABSENCE_MS = 60_000;
/** Buckets of a window while catching up: alerts begin and end within a fifth of the window of where they truly did. */
const STEPS_PER_WINDOW = 5;
const CATCH_UP_STEP_MIN_MS = 1_000;

export interface RuleOutcome {
  readonly rule: Rule;
  readonly state: RuleState;
  readonly effects: readonly Effect[];
  readonly missed: readonly MissedEpisode[];
  readonly coveredFromMs: number;
  /** Why the rule could not be read; null when it could. */
  readonly failure: string | null;
}

/** Reads a rule's measure and takes its machine to `nowMs`, over every instant that was missed. */
export async function evaluateRule(rule: Rule, before: StoredRule | undefined, source: MeasureSource, nowMs: number): Promise<RuleOutcome> {
  const state = before?.state ?? NEW_RULE_STATE;
  const lastMs = state.evaluatedAtMs;
  const isAbsence = lastMs !== null && nowMs - lastMs > ABSENCE_MS;
  const coveredFromMs = before === undefined || isAbsence ? nowMs : before.coveredFromMs;
  try {
    if (isAbsence && rule.measure !== 'telemetry_stopped') return await caughtUp(rule, state, source, lastMs, nowMs);
    const widened = reachingBack(rule, lastMs, nowMs);
    const lookback = lookbackMs(widened);
    const step = Math.min(lookback, widened.windowMs);
    const buckets = await source.buckets(widened, nowMs - lookback, nowMs, step);
    const reading: Reading = { ok: true, samples: samplesAt(widened, listenedFrom(buckets, coveredFromMs), nowMs) };
    const [next, effects] = evaluate(rule, state, reading, nowMs);
    return { rule, state: next, effects, missed: [], coveredFromMs, failure: null };
  } catch (cause) {
    const failure = cause instanceof Error ? cause.message : 'unknown error';
    const [next, effects] = evaluate(rule, state, { ok: false, message: failure }, nowMs);
    return { rule, state: next, effects, missed: [], coveredFromMs, failure };
  }
}

async function caughtUp(rule: Rule, state: RuleState, source: MeasureSource, lastMs: number, nowMs: number): Promise<RuleOutcome> {
  const wanted = Math.max(CATCH_UP_STEP_MIN_MS, Math.floor(rule.windowMs / STEPS_PER_WINDOW));
  const instants = missedInstants(lastMs, nowMs, wanted);
  const step = (instants[0] ?? nowMs) - lastMs;
  const buckets = await source.buckets(rule, lastMs - lookbackMs(rule), nowMs, Math.max(1, Math.min(step, wanted)));
  return { rule, ...catchUp(rule, state, buckets, instants), coveredFromMs: nowMs, failure: null };
}

/**
 * A window never ends before the last evaluation: what was stored between two that lie further apart than the
 * rule's window would otherwise be seen by neither.
 */
function reachingBack(rule: Rule, lastMs: number | null, nowMs: number): Rule {
  const gapMs = lastMs === null ? 0 : Math.min(nowMs - lastMs, ABSENCE_MS);
  return gapMs <= rule.windowMs ? rule : { ...rule, windowMs: gapMs };
}

/** Silence counts from when somebody listened: what could not be heard during an absence of our own is no silence. */
const listenedFrom = (buckets: readonly Bucket[], coveredFromMs: number): Bucket[] =>
  buckets.map((bucket) => (bucket.lastMs === null ? bucket : { ...bucket, lastMs: Math.max(bucket.lastMs, coveredFromMs) }));
