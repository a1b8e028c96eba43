import { formatShare } from '@/components/format/count';

/** The breaker switches above this share, and above three times what shadow foretold; see docs/proxy.md, Breaker. */
const RATE_MIN = 0.5;
const RATE_FACTOR = 3;

/** What shadow foretells of a route's refusals, and from where on the breaker takes them for harm. */
export function breakerWords(predictedRate: number | null): string {
  if (predictedRate === null)
    return 'Shadow judged too few attempts to foretell a rate: the breaker trips only for a client that makes progress and is refused again and again.';
  const limit = Math.max(RATE_MIN, RATE_FACTOR * predictedRate);
  const foretold = `In shadow ${formatShare(predictedRate, 1)} of the attempts would have been refused`;
  return limit >= 1
    ? `${foretold}: no rate trips the breaker.`
    : `${foretold}: above ${formatShare(limit, 1)} within a minute the breaker switches the route to shadow.`;
}
