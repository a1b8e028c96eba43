import type { Labels } from '@/lib/alerting/labels';
import type { LossFacts } from '@/lib/alerting/notification';
import type { Rule } from '@/lib/alerting/rule';
import type { Bucket } from '@/lib/alerting/sample';

/** Reads what rules measure. Rejects when it cannot: the rule's alerts then stay as they are. */
export interface MeasureSource {
  /** What became known from `fromMs` (inclusive) to `toMs`, in stretches of `stepMs` counted from `fromMs`. */
  readonly buckets: (rule: Rule, fromMs: number, toMs: number, stepMs: number) => Promise<Bucket[]>;
  /** How much is lost under these labels since `fromMs`. */
  readonly facts: (rule: Rule, labels: Labels, fromMs: number, toMs: number) => Promise<LossFacts>;
}
