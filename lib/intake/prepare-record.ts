import { err, ok, type Result } from '@/lib/base/result';
import { attemptColumns } from '@/lib/intake/attempt-columns';
import { isNestedDeeper } from '@/lib/intake/nesting-depth';
import { uuidV7 } from '@/lib/intake/uuid-v7';
import { annotationOf } from '@/lib/rollup/annotations';
import type { RecordToStore } from '@/lib/store/record-to-store';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { FieldProblem } from '@/lib/wire/field-problem';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { generationText } from '@/lib/wire/verdict-request';

export const DEFAULT_SERVER = 'default';
export const DEFAULT_STREAM = 'get';

const DAY_MS = 86_400_000;
/** Instants outside this window around the receipt are not believed: they would each ask for a table of their own. */
export const AT_PAST_MAX_MS = 400 * DAY_MS;
export const AT_FUTURE_MAX_MS = DAY_MS;
/** A record whose instant is believed or not by less than this may be sent again when that is the other way round. */
const RESENT_MS_MAX = 3_600_000;
/** Clocks that are kept in step differ by less. */
const SKEW_NOTED_MS = 60_000;
/** Deeper records could be written but not read back safely. */
const DEPTH_MAX = 64;

/** Their day was dropped, and they would be counted a second time. */
export const TOO_OLD: FieldProblem = { path: 'at', message: 'lies before the oldest day that is kept' };

/** What the edge adds to a record that the record cannot know. */
export interface Receipt {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly nextArrival: () => number;
  readonly sessionRef: (server: string, token: string) => string;
  /** Id of the project that the sender may report for; null: for any. */
  readonly project: number | null;
  /** Whether the records come in a numbered batch, which says by itself what was dropped. */
  readonly isNumbered: boolean;
  /** Records before it are refused: their day was dropped, and they would be counted a second time. Epoch milliseconds. */
  readonly oldestMs?: number;
}

/** Whether an instant that a sender tells lies where it may, seen from the receipt. Both in epoch milliseconds. */
export function isBelieved(sentAt: number | null, receivedAt: number): sentAt is number {
  return sentAt !== null && sentAt >= receivedAt - AT_PAST_MAX_MS && sentAt <= receivedAt + AT_FUTURE_MAX_MS;
}

/** Reads, judges and lays out one record for storage, or names its first bad field. */
export function prepareRecord(value: unknown, receipt: Receipt): Result<RecordToStore, FieldProblem> {
  const decoded = decodeRecord(value);
  if (!decoded.ok) return decoded;
  const record = decoded.value;
  const sentAt = instantOf(record.at);
  const isDated = isBelieved(sentAt, receipt.at);
  if (isDated && sentAt < (receipt.oldestMs ?? 0)) return err(TOO_OLD);
  const body = bodyOf(record, sentAt === null ? null : skewToNote(sentAt - receipt.at, isDated));
  if (body === null) return err({ path: '', message: `is nested more than ${DEPTH_MAX} levels deep` });
  const server = record.server ?? DEFAULT_SERVER;
  return ok({
    type: record.type,
    id: record.id === undefined ? uuidV7(receipt.at) : record.id.toLowerCase(),
    hasOwnId: record.id !== undefined,
    at: isDated ? sentAt : receipt.at,
    hasSureDate: isDated && isBelieved(sentAt, receipt.at - RESENT_MS_MAX) && isBelieved(sentAt, receipt.at + RESENT_MS_MAX),
    receivedAt: receipt.at,
    arrival: receipt.nextArrival(),
    server,
    project: receipt.project,
    node: record.node ?? null,
    session: typeof record.session === 'string' ? receipt.sessionRef(server, record.session) : null,
    generation: generationText(record.generation),
    stream: record.stream === undefined || record.stream === DEFAULT_STREAM ? null : record.stream,
    body,
    annotation: annotationOf(record),
    droppedBefore: droppedBefore(record, receipt),
    attempt: record.type === 'resume_attempt' ? attemptColumns(record) : null,
  });
}

function droppedBefore({ dropped_before: records = 0 }: TelemetryRecord, { isNumbered }: Receipt): number {
  return isNumbered ? 0 : records;
}

/** What is late may have been on its way; what comes from the future has a clock that runs ahead. */
function skewToNote(aheadMs: number, isDated: boolean): number | null {
  return !isDated || aheadMs > SKEW_NOTED_MS ? aheadMs : null;
}

function instantOf(at: TelemetryRecord['at']): number | null {
  if (at === undefined) return null;
  return typeof at === 'number' ? at : Date.parse(at);
}

/**
 * The record as sent, as JSON text, without its session token (an explicit null stays: it says that the request
 * carried none). A clock that is not believed is noted beside it.
 */
function bodyOf(record: TelemetryRecord, clockSkewMs: number | null): string | null {
  let kept: object = record;
  if (typeof record.session === 'string') kept = { ...kept, session: undefined };
  if (clockSkewMs !== null) kept = { ...kept, clock_skew_ms: clockSkewMs };
  try {
    const body = JSON.stringify(kept);
    return isNestedDeeper(body, DEPTH_MAX) ? null : body;
  } catch (cause) {
    // Only a stack that ran out gets here: the value came from JSON or is plain data of our own.
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}
