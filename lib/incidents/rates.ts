import type { Evidence } from '@/lib/incidents/incident';

/** One step of one server's attempts. */
export interface RateStep {
  readonly attempts: number;
  readonly resumeUnavailable: number;
  readonly unverifiable: number;
  /** Distinct sessions that attempted. */
  readonly sessions: number;
}

/** Steps of equal length, oldest first; the last one ends at `at` and is the one that is judged. */
export interface ServerRates {
  readonly server: string;
  readonly at: number;
  readonly steps: readonly RateStep[];
}

/** Steps that a baseline needs before it says anything; below them a spike must reach `SPIKE_WITHOUT_BASELINE`. */
export const BASELINE_STEPS_MIN = 12;
const SPIKE_MIN = 5;
const SPIKE_WITHOUT_BASELINE = 20;
const STORM_MIN = 60;
const STORM_PER_SESSION = 3;
const BLIND_ATTEMPTS_MIN = 20;
const BLIND_SHARE = 0.5;
/** Deviations above the median from which a step is a spike. */
const DEVIATIONS = 5;
/** Makes the median absolute deviation comparable to a standard deviation of normal data. */
const MAD_SCALE = 1.4826;

/** What the newest step of a server's rates says: a spike of refusals, a storm of reconnects, blindness. */
export function evidenceOfRates({ server, at, steps }: ServerRates): Evidence[] {
  const newest = steps.at(-1);
  if (newest === undefined) return [];
  const before = steps.slice(0, -1);
  const found: Evidence[] = [];
  const evidence = { server, at, session: null, severity: 'warning', events: null, callsLost: 0, callsDoubled: 0, finding: null } as const;

  const refused = newest.resumeUnavailable;
  if (
    refused >=
    spikeFrom(
      before.map((step) => step.resumeUnavailable),
      SPIKE_MIN,
    )
  ) {
    found.push({ ...evidence, cause: 'resume_unavailable', attempts: refused });
  }
  const isLooping = newest.attempts >= newest.sessions * STORM_PER_SESSION;
  if (
    isLooping &&
    newest.attempts >=
      spikeFrom(
        before.map((step) => step.attempts),
        STORM_MIN,
      )
  ) {
    found.push({ ...evidence, cause: 'reconnect_storm', attempts: newest.attempts });
  }
  if (newest.attempts >= BLIND_ATTEMPTS_MIN && newest.unverifiable >= newest.attempts * BLIND_SHARE) {
    found.push({ ...evidence, cause: 'blind', attempts: newest.unverifiable });
  }
  return found;
}

/**
 * The count from which a step is a spike against a series' own past: the median and five robust deviations, so that
 * earlier spikes do not raise it much. A count of rare events varies at least as its root.
 */
export function spikeFrom(baseline: readonly number[], least: number): number {
  if (baseline.length < BASELINE_STEPS_MIN) return Math.max(least, SPIKE_WITHOUT_BASELINE);
  const middle = median(baseline);
  const deviation = MAD_SCALE * median(baseline.map((count) => Math.abs(count - middle)));
  return Math.max(least, Math.ceil(middle + DEVIATIONS * Math.max(deviation, Math.sqrt(middle), 1)));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
