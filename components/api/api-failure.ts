import type { ErrorBody } from '@/lib/wire/responses';

/**
 * A request to the API that brought no answer. `code` is the API's stable code, or `unreachable`, `timeout` and
 * `unreadable` for what happened on the way; `status` is null when no status line came.
 */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  constructor(
    readonly code: string,
    message: string,
    readonly status: number | null,
    readonly nextStep: string | null = null,
  ) {
    super(message);
  }
}

/** The failure that an error answer stands for; tolerates a body that is not the API's. */
export function failureOf(status: number, body: unknown): ApiFailure {
  if (!isErrorBody(body)) return new ApiFailure('unreadable', `The server answered ${status} without saying why.`, status);
  const { code, message, next_step } = body.error;
  return new ApiFailure(code, message, status, next_step ?? null);
}

/** A request that the API understood and declined stays declined; everything else may pass. */
export function isWorthRetrying(cause: unknown): boolean {
  return !(cause instanceof ApiFailure) || cause.status === null || cause.status >= 500;
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    'message' in error &&
    typeof error.message === 'string'
  );
}
