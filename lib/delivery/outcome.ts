import type { Outcome } from '@/lib/alerting/retry';

/** What came of one attempt to send. */
export interface SendResult {
  readonly outcome: Outcome;
  /** HTTP or SMTP status; null when none came. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** What went wrong, in one line; null on success. */
  readonly error: string | null;
  /** Beginning of the receiver's answer. */
  readonly responseHead: string | null;
}

/** A message on its way: the same id and body in every attempt. */
export interface Outgoing {
  readonly id: string;
  readonly body: string;
}

const ERROR_LENGTH_MAX = 300;

/** An attempt that ended without an answer. Names the error's code, never a URL: that may hold a secret. */
export function unanswered(cause: unknown): SendResult {
  return { outcome: 'unavailable', status: null, retryAfterMs: null, error: reasonOf(cause), responseHead: null };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown error';
  if (cause.cause instanceof Error) return reasonOf(cause.cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  return `${code}: ${cause.message}`.replace(/\p{Cc}+/gu, ' ').slice(0, ERROR_LENGTH_MAX);
}
