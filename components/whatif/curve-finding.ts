import { formatCount } from '@/components/format/count';
import type { RetentionAdvice } from '@/lib/whatif/retention';

/** What the curve shows, in one sentence. */
export function curveFinding({ knee, keptNow, measuredUpTo }: RetentionAdvice): string {
  const now = keptNow === null ? '' : `; ${formatCount(keptNow)} are kept now`;
  return `Share of reconnects served whole by events kept: the knee is at ${formatCount(knee.events)} events and ${Math.round(knee.served * 100)} %${now}; nothing is measured beyond ${formatCount(measuredUpTo)}`;
}
