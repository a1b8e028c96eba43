import { sinceWords } from '@/components/format/instant';
import type { LossIncident } from '@/lib/wire/responses';

/** Unsafe resumes inside a range, and the open incidents that tell of them whatever the range. */
export interface LossFacts {
  readonly first_unsafe_at: string | null;
  readonly last_unsafe_at: string | null;
  readonly loss_incident: LossIncident | null;
}

/** When events were lost, in epoch milliseconds. */
export interface LossSpan {
  /** The newest sign of loss is so new that it goes on. */
  readonly isNow: boolean;
  /** When it began, where an open incident tells; what a range shows may have begun before it. */
  readonly sinceMs: number | null;
  /** First unsafe resume inside the range. */
  readonly firstMs: number | null;
  /** Newest sign of loss. */
  readonly lastMs: number | null;
}

/** Without a sign of loss for this long, nobody says that it goes on. */
export const LOSING_WITHIN_MS = 10 * 60_000;

export function lossSpan({ first_unsafe_at, last_unsafe_at, loss_incident }: LossFacts, nowMs: number): LossSpan {
  const lasts = [last_unsafe_at, loss_incident?.last_evidence_at ?? null].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
  const lastMs = lasts.length === 0 ? null : Math.max(...lasts);
  return {
    isNow: lastMs !== null && nowMs - lastMs <= LOSING_WITHIN_MS,
    sinceMs: loss_incident === null ? null : Date.parse(loss_incident.since),
    firstMs: first_unsafe_at === null ? null : Date.parse(first_unsafe_at),
    lastMs,
  };
}

/** Whether and since when a server loses: `Losing since 02:14 UTC`, `Losing, in this range first at 02:14 UTC`, `Lost until 09:20 UTC`. */
export function lossWords({ isNow, sinceMs, firstMs, lastMs }: LossSpan, nowMs: number): string {
  if (lastMs === null) return 'Losing in silence';
  if (!isNow) return `Lost until ${sinceWords(lastMs, nowMs)}`;
  if (sinceMs !== null) return `Losing since ${sinceWords(sinceMs, nowMs)}`;
  return firstMs === null ? 'Losing in silence' : `Losing, in this range first at ${sinceWords(firstMs, nowMs)}`;
}
