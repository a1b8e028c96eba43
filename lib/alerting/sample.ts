import { type Labels, labelKey } from '@/lib/alerting/labels';
import { measureOf } from '@/lib/alerting/measures';
import type { Rule } from '@/lib/alerting/rule';

/** What happened in one stretch of time under one set of labels. */
export interface Bucket {
  readonly startMs: number;
  readonly labels: Labels;
  /** Rows that the measure counts. */
  readonly count: number;
  /** Resume attempts, of any outcome. */
  readonly attempts: number;
  /** Smallest lead to the floor; null where no attempt tells one. */
  readonly leadMin: number | null;
  /** Newest record; null where there is none. */
  readonly lastMs: number | null;
}

/** The measure of a rule under one set of labels; `value` is null when there was nothing to measure. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number | null;
}

/** Windows before the current one that a `…_deviation` is measured against. */
export const BASELINE_WINDOWS = 24;
/** A sender that has been quiet for longer is gone, not silent. */
export const LAST_SEEN_MS = 86_400_000;

/** How far back a rule looks from the instant it is evaluated at. */
export function lookbackMs(rule: Pick<Rule, 'measure' | 'windowMs'>): number {
  const measure = measureOf(rule.measure);
  if (measure?.base === 'telemetry_stopped') return LAST_SEEN_MS;
  return measure?.form === 'deviation' ? rule.windowMs * (BASELINE_WINDOWS + 1) : rule.windowMs;
}

/**
 * The samples of a rule at instant `atMs`, one per set of labels seen within its lookback. A bucket belongs to
 * the stretch that its start lies in, so buckets must be no longer than the precision that is wanted.
 */
export function samplesAt(rule: Pick<Rule, 'measure' | 'windowMs' | 'groupBy'>, buckets: readonly Bucket[], atMs: number): Sample[] {
  const groups = new Map<string, Bucket[]>();
  const from = atMs - lookbackMs(rule);
  for (const bucket of buckets) {
    if (bucket.startMs < from || bucket.startMs >= atMs) continue;
    const key = labelKey(bucket.labels);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [bucket]);
    else group.push(bucket);
  }
  // Without labels there is always one group, also when nothing happened in it.
  if (rule.groupBy.length === 0 && groups.size === 0) return [{ labels: {}, value: measuredValue(rule, [], atMs) }];
  return [...groups.values()].map((group) => ({ labels: group[0]?.labels ?? {}, value: measuredValue(rule, group, atMs) }));
}

function measuredValue(rule: Pick<Rule, 'measure' | 'windowMs'>, buckets: readonly Bucket[], atMs: number): number | null {
  const measure = measureOf(rule.measure);
  if (measure === null) return null;
  if (measure.base === 'telemetry_stopped') return secondsSince(buckets, atMs);
  const current = buckets.filter((bucket) => bucket.startMs >= atMs - rule.windowMs);
  if (measure.form === 'gauge') return smallestLead(current);
  const count = current.reduce((sum, bucket) => sum + bucket.count, 0);
  if (measure.form === 'count') return count;
  if (measure.form === 'deviation') {
    const before = buckets.reduce((sum, bucket) => sum + bucket.count, 0) - count;
    // Below one per window the past says nothing: the count itself is then the deviation.
    return count / Math.max(1, before / BASELINE_WINDOWS);
  }
  const attempts = current.reduce((sum, bucket) => sum + bucket.attempts, 0);
  return attempts === 0 ? null : count / attempts;
}

function secondsSince(buckets: readonly Bucket[], atMs: number): number | null {
  const last = buckets.reduce<number | null>(
    (newest, { lastMs }) => (lastMs !== null && lastMs <= atMs && lastMs > (newest ?? 0) ? lastMs : newest),
    null,
  );
  return last === null ? null : Math.max(0, atMs - last) / 1000;
}

const smallestLead = (buckets: readonly Bucket[]): number | null =>
  buckets.reduce<number | null>((least, { leadMin }) => (leadMin !== null && (least === null || leadMin < least) ? leadMin : least), null);
