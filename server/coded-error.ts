import { HttpError } from '@/lib/http/http-error';
import { IntakeRefusal } from '@/lib/intake/commit-queue';
import { BatchProblemError } from '@/lib/intake/intake';
import type { CodedRefusal } from '@/lib/intake/socket-connection';
import type { FrameProblem } from '@/lib/intake/telemetry-frame';
import { StoreUnavailable } from '@/lib/proxy/log-store';
import { databaseTrouble, TROUBLES } from '@/lib/store/database-trouble';

/** An error of another layer as the coded one that callers see; null is an unexpected error. */
export function codedError(cause: unknown): HttpError | null {
  if (cause instanceof HttpError) return cause;
  if (cause instanceof BatchProblemError) return new HttpError(cause.problem.code, cause.problem.message, { cause });
  if (cause instanceof IntakeRefusal) return new HttpError(cause.code, cause.message, { cause });
  const trouble = databaseTrouble(cause);
  if (trouble !== null) return new HttpError(trouble, TROUBLES[trouble], { cause });
  if (cause instanceof StoreUnavailable) {
    return new HttpError('session_log_unavailable', 'the session log store cannot be reached', { cause });
  }
  return null;
}

/** The same for an answer that is no HTTP response. */
export function codedRefusal(cause: unknown, onUnexpected: () => void): CodedRefusal {
  const coded = codedError(cause);
  if (coded === null) onUnexpected();
  return asRefusal(coded ?? new HttpError('internal', 'an unexpected error', { cause }));
}

export function refusalOfFrame({ code, path, message }: FrameProblem): CodedRefusal {
  return asRefusal(new HttpError(code, path === '' ? message : `${path} ${message}`, path === '' ? {} : { path }));
}

function asRefusal({ body, headers }: HttpError): CodedRefusal {
  const retryAfter = headers['retry-after'];
  return { error: body.error, retryAfter: retryAfter === undefined ? null : Number(retryAfter) };
}
