import { retryDelayMs } from '@/lib/alerting/retry';
import type { ClaimedDelivery, Settlement } from '@/lib/delivery/outbox';
import type { SendResult } from '@/lib/delivery/outcome';

/**
 * What follows from an attempt.
 *
 * - A receiver that is out of order pauses the whole endpoint: nothing overtakes, and the pause grows with every
 *   failure in a row. This pause is the endpoint's circuit: one message at a time probes it.
 * - A receiver that answers but refuses this message delays this message and its group; others go on.
 * - A receiver that is gone disables the endpoint.
 *
 * @param random from 0 (inclusive) to 1, for the jitter.
 */
export function settlementOf(claimed: ClaimedDelivery, result: SendResult, nowMs: number, random: number): Settlement {
  const healthy = { failures: 0, notBeforeMs: null, isGone: false };
  if (result.outcome === 'delivered') return { delivery: { state: 'delivered' }, endpoint: healthy };
  if (result.outcome === 'gone')
    return {
      delivery: { state: 'dead', reason: 'endpoint_gone' },
      endpoint: { failures: claimed.endpointFailures + 1, notBeforeMs: null, isGone: true },
    };
  const delay = retryDelayMs(claimed.attempts + 1, random, result.retryAfterMs);
  const delivery: Settlement['delivery'] =
    delay === null ? { state: 'dead', reason: 'attempts_exhausted' } : { state: 'pending', nextAtMs: nowMs + delay };
  if (result.outcome === 'refused') return { delivery, endpoint: healthy };
  const failures = claimed.endpointFailures + 1;
  const pause = Math.max(delay ?? 0, result.retryAfterMs ?? 0, retryDelayMs(Math.min(failures, LONGEST_PAUSE_STEP), random, null) ?? 0);
  return { delivery, endpoint: { failures, notBeforeMs: nowMs + pause, isGone: false } };
}

/** A broken endpoint is probed at least about this often (a step of the retry schedule), however long it has been broken. */
const LONGEST_PAUSE_STEP = 6;
