import { evaluate, NEW_RULE_STATE, type RuleState } from '@/lib/alerting/evaluate';
import { type Labels, labelKey } from '@/lib/alerting/labels';
import { isZeroOfNothing } from '@/lib/alerting/measures';
import type { Rule } from '@/lib/alerting/rule';
import { type Bucket, lookbackMs, samplesAt } from '@/lib/alerting/sample';

export interface PreviewEpisode {
  readonly labels: Labels;
  readonly openedAtMs: number;
  /** Null: still firing at the end. */
  readonly closedAtMs: number | null;
}

/** What a rule would have done over a stretch of the past, and the points to draw it with. */
export interface Preview {
  readonly fired: number;
  readonly episodes: readonly PreviewEpisode[];
  /** The value closest to the threshold's far side at each instant; null where there was nothing to measure. */
  readonly points: readonly { readonly atMs: number; readonly value: number | null; readonly firing: number }[];
}

/** Instants that a preview evaluates at most. */
export const PREVIEW_STEPS_MAX = 2_016;
/** Episodes that a preview lists; `fired` counts all. */
const EPISODES_MAX = 500;

/** How far apart the instants of a preview lie: a fifth of the window, no finer than the bound on steps. */
export const previewStepMs = (rule: Pick<Rule, 'windowMs'>, fromMs: number, toMs: number): number =>
  Math.max(1000, Math.ceil(rule.windowMs / 5), Math.ceil((toMs - fromMs) / PREVIEW_STEPS_MAX));

/** Runs a rule over the past: pure, and the same machine that evaluates the present. */
export function preview(rule: Rule, buckets: readonly Bucket[], fromMs: number, toMs: number): Preview {
  const stepMs = previewStepMs(rule, fromMs, toMs);
  const open = new Map<string, PreviewEpisode>();
  const episodes: PreviewEpisode[] = [];
  const points: { atMs: number; value: number | null; firing: number }[] = [];
  const windows = slidingWindows(rule, buckets);
  const ofNothing = isZeroOfNothing(rule.measure) ? 0 : null;
  let fired = 0;
  let state: RuleState = NEW_RULE_STATE;
  const steps = Math.floor((toMs - fromMs) / stepMs);
  for (let step = 1; step <= steps; step += 1) {
    const atMs = toMs - (steps - step) * stepMs;
    const samples = samplesAt(rule, windows(atMs), atMs);
    const [next, effects] = evaluate(rule, state, { ok: true, samples }, atMs);
    state = next;
    for (const effect of effects) {
      if (effect.type === 'open') {
        fired += 1;
        open.set(effect.key, { labels: effect.instance.labels, openedAtMs: atMs, closedAtMs: null });
        continue;
      }
      const episode = open.get(effect.key);
      open.delete(effect.key);
      if (episode !== undefined && episodes.length < EPISODES_MAX) episodes.push({ ...episode, closedAtMs: atMs });
    }
    points.push({
      atMs,
      value:
        worst(
          rule,
          samples.map(({ value }) => value),
        ) ?? ofNothing,
      firing: open.size,
    });
  }
  episodes.push(...[...open.values()].slice(0, Math.max(0, EPISODES_MAX - episodes.length)));
  return {
    fired,
    episodes: episodes.sort((a, b) => a.openedAtMs - b.openedAtMs || (labelKey(a.labels) < labelKey(b.labels) ? -1 : 1)),
    points,
  };
}

function worst(rule: Pick<Rule, 'op'>, values: readonly (number | null)[]): number | null {
  const isHighBad = rule.op === '>' || rule.op === '>=';
  return values.reduce<number | null>((most, value) => {
    if (value === null) return most;
    if (most === null) return value;
    return isHighBad ? Math.max(most, value) : Math.min(most, value);
  }, null);
}

/** Hands out the buckets that an instant can see, moving forwards only, so that a preview reads each bucket a bounded number of times. */
function slidingWindows(rule: Pick<Rule, 'measure' | 'windowMs'>, buckets: readonly Bucket[]): (atMs: number) => Bucket[] {
  const sorted = [...buckets].sort((a, b) => a.startMs - b.startMs);
  const lookback = lookbackMs(rule);
  let first = 0;
  let last = 0;
  return (atMs) => {
    while (last < sorted.length && (sorted[last]?.startMs ?? 0) < atMs) last += 1;
    while (first < last && (sorted[first]?.startMs ?? 0) < atMs - lookback) first += 1;
    return sorted.slice(first, last);
  };
}
