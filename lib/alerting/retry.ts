const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits between the attempts of one delivery; together they span a day. */
export const RETRY_DELAYS_MS = [
  5_000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** A delivery that is older is given up: its news is stale, and the queue behind it must move. */
export const GIVE_UP_AFTER_MS = 27 * HOUR_MS;

/** Each wait is spread over this share around its value, so that receivers are not hit by all senders at once. */
const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * The wait before the next attempt, in milliseconds; null when there is none.
 *
 * @param failures attempts that failed so far, from 1.
 * @param random from 0 (inclusive) to 1.
 * @param retryAfterMs what the receiver asked for; honoured when longer, up to a day.
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs: number | null): number | null {
  const base = RETRY_DELAYS_MS[failures - 1];
  if (base === undefined) return null;
  const spread = Math.round(base * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/** Reads a `Retry-After` header: whole seconds or an HTTP date. Null when it is neither. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/** What an attempt means for the delivery and for its endpoint. */
export type Outcome =
  /** The receiver has it. */
  | 'delivered'
  /** The receiver answers and will not take this one: others may pass. */
  | 'refused'
  /** The receiver is out of order: everything for it waits. */
  | 'unavailable'
  /** The receiver says that it is gone for good. */
  | 'gone';

/** Reads an HTTP status. A redirect is never followed and counts as a receiver that is out of order. */
export function outcomeOfStatus(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  if (status === 408 || status === 425 || status === 429) return 'unavailable';
  return status >= 400 && status < 500 ? 'refused' : 'unavailable';
}
