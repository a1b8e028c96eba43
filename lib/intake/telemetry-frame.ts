import { parseJsonExactly } from '@/lib/base/json';
import { isJsonLarger } from '@/lib/base/json-marks';
import { parsePosition } from '@/lib/base/position';
import { err, ok, type Result } from '@/lib/base/result';
import { type BatchOrigin, originOfFrame } from '@/lib/intake/batch-origin';
import type { Rejection } from '@/lib/intake/submission';
import type { ErrorBody } from '@/lib/wire/responses';

/** Records of one frame; a sender splits what is larger. */
export const FRAME_RECORDS_MAX = 10_000;
/** Values of one frame and those of them that are named: as many as its records have, with a list of a million event ids. */
const FRAME_SIZE_MAX = { values: 1_200_000, members: 300_000 };
/** Shorter frames cannot hold as much. */
const COUNTED_CHARS_MIN = 1_200_000;

/** One batch over WebSocket, read as far as its envelope goes. */
export interface TelemetryFrame {
  readonly seq: number;
  readonly records: readonly unknown[];
  readonly origin: BatchOrigin | null;
}

/** Why a frame is not taken. Without `seq` the sender cannot know which frame is meant, and the connection is closed. */
export interface FrameProblem {
  readonly seq: number | null;
  readonly code: 'malformed_json' | 'invalid_field' | 'batch_too_large';
  readonly path: string;
  readonly message: string;
}

/** What the server says about a frame: stored, or not taken and why. `retry_after` is in seconds. */
export type FrameAnswer =
  | { readonly ack: number; readonly accepted: number; readonly duplicate: number; readonly rejected: readonly Rejection[] }
  | { readonly seq: number | null; readonly error: ErrorBody['error']; readonly retry_after?: number };

/** Reads the text of a frame: `{"seq","records","producer"?,"epoch"?,"dropped"?,"first"?,"began"?}`. The records themselves are read by the intake. */
export function readFrame(text: string): Result<TelemetryFrame, FrameProblem> {
  if (text.length > COUNTED_CHARS_MIN && isJsonLarger(text, FRAME_SIZE_MAX)) {
    const { values, members } = FRAME_SIZE_MAX;
    return err({
      seq: null,
      code: 'batch_too_large',
      path: '',
      message: `a frame holds at most ${values} values, ${members} of them named`,
    });
  }
  const parsed = parse(text);
  if (!parsed.ok) return err({ seq: null, code: 'malformed_json', path: '', message: `the frame is not JSON: ${parsed.error}` });
  const { value } = parsed;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return err(invalid(null, '', 'the frame must be an object'));
  const frame = value as Readonly<Record<string, unknown>>;
  const seq = sequenceOf(frame['seq']);
  if (seq === null) return err(invalid(null, 'seq', 'must be an integer from 0 to 9007199254740991'));
  const records = frame['records'];
  if (!Array.isArray(records)) return err(invalid(seq, 'records', 'must be an array of records'));
  if (records.length > FRAME_RECORDS_MAX) {
    return err({ seq, code: 'batch_too_large', path: 'records', message: `a frame holds at most ${FRAME_RECORDS_MAX} records` });
  }
  const origin = originOfFrame(frame, seq);
  return origin.ok ? ok({ seq, records, origin: origin.value }) : err(invalid(seq, origin.error.path, origin.error.message));
}

function parse(text: string): Result<unknown, string> {
  try {
    return ok(parseJsonExactly(text));
  } catch (cause) {
    return err(cause instanceof Error ? cause.message.replace(/^JSON\.parse: /, '') : 'unreadable');
  }
}

/** Integers of 16 digits and more arrive as text, so that none is rounded. */
function sequenceOf(value: unknown): number | null {
  const position = parsePosition(value);
  return position !== null && position <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(position) : null;
}

function invalid(seq: number | null, path: string, message: string): FrameProblem {
  return { seq, code: 'invalid_field', path, message };
}
