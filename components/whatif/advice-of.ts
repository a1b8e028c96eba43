import type { RetentionResult } from '@/lib/whatif/answer-schema';
import type { RetentionAdvice, RetentionPoint } from '@/lib/whatif/retention';

type WireAdvice = NonNullable<RetentionResult['advice']>;

/** Retention advice as the API writes it, in the words of the core. */
export function adviceOf(advice: WireAdvice): RetentionAdvice {
  return {
    measured: advice.measured,
    censored: advice.censored,
    measuredUpTo: advice.measured_up_to,
    keptNow: advice.kept_now,
    points: advice.points.map(pointOf),
    knee: pointOf(advice.knee),
    configLine: advice.config_line,
    censoring: advice.censoring,
  };
}

const pointOf = ({ events, served, served_at_most, refusals_avoided, bytes }: WireAdvice['knee']): RetentionPoint => ({
  events,
  served,
  servedAtMost: served_at_most,
  refusalsAvoided: refusals_avoided,
  bytes,
});
