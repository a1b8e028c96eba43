import { type ErrorCode, entryOf } from '@/lib/http/error-codes';
import type { ErrorBody } from '@/lib/wire/responses';

export interface HttpErrorDetails extends ErrorOptions {
  /** The field at fault. */
  readonly path?: string;
  readonly nextStep?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected failure of a request. Everything but its `cause` is shown to the caller, and when to come again where that helps. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: HttpErrorDetails = {},
  ) {
    super(message, details);
    const { status, nextStep, retryAfterS } = entryOf(code);
    this.status = status;
    this.headers = { ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }), ...details.headers };
    this.body = {
      error: {
        code,
        message,
        ...(details.path === undefined ? {} : { path: details.path }),
        next_step: details.nextStep ?? nextStep,
      },
    };
  }
}

/** The refusal of a field of a query or body, by its path. */
export function invalidField(path: string, message: string): HttpError {
  return new HttpError('invalid_field', path === '' ? message : `${path} ${message}`, { path });
}
