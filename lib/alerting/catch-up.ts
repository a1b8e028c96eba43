import { type Effect, evaluate, type Instance, type Reading, type RuleState } from '@/lib/alerting/evaluate';
import type { Labels } from '@/lib/alerting/labels';
import type { Rule } from '@/lib/alerting/rule';
import { type Bucket, samplesAt } from '@/lib/alerting/sample';

/** An alert that fired and recovered while nobody was evaluating. */
export interface MissedEpisode {
  readonly group: string;
  readonly labels: Labels;
  readonly openedAtMs: number;
  readonly closedAtMs: number;
}

/** Instants that are caught up at most; a longer absence is covered by wider steps. */
export const CATCH_UP_STEPS_MAX = 200;

/** The instants to evaluate between the last evaluation and now, at most `stepMs` apart where the bound allows. */
export function missedInstants(lastMs: number, nowMs: number, stepMs: number): number[] {
  const step = Math.max(stepMs, Math.ceil((nowMs - lastMs) / CATCH_UP_STEPS_MAX));
  const instants: number[] = [];
  for (let at = lastMs + step; at < nowMs; at += step) instants.push(at);
  return [...instants, nowMs];
}

/**
 * Evaluates a rule over the instants that were missed, the last of which is now. What opened and closed on the
 * way is returned apart from what is open at the end: the caller tells each group once, not once per step.
 */
export function catchUp(
  rule: Rule,
  state: RuleState,
  buckets: readonly Bucket[],
  instants: readonly number[],
): { state: RuleState; effects: Effect[]; missed: MissedEpisode[] } {
  const effects: Effect[] = [];
  const missed: MissedEpisode[] = [];
  let current = state;
  for (const atMs of instants) {
    const reading: Reading = { ok: true, samples: samplesAt(rule, buckets, atMs) };
    const [next, stepEffects] = evaluate(rule, current, reading, atMs);
    current = next;
    effects.push(...stepEffects);
  }
  const opens = new Map<string, number>();
  for (const effect of effects) {
    if (effect.type === 'open') opens.set(effect.key, effect.atMs);
    else if (opens.delete(effect.key)) missed.push(missedOf(effect.instance, effect.atMs));
  }
  return { state: current, effects, missed };
}

const missedOf = (instance: Instance, closedAtMs: number): MissedEpisode => ({
  group: instance.group,
  labels: instance.labels,
  openedAtMs: instance.openedAtMs ?? closedAtMs,
  closedAtMs,
});
