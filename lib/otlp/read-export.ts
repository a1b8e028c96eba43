import { createHash } from 'node:crypto';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { parseJsonExactly } from '@/lib/base/json';
import { isJsonLarger, type JsonSize } from '@/lib/base/json-marks';
import { err, ok, type Result } from '@/lib/base/result';
import { BATCH_RECORDS_MAX } from '@/lib/intake/batch-text';
import { decodeMessage, type ExportBounds, isExportLarger } from '@/lib/otlp/protobuf';
import { LogsRequest, TracesRequest } from '@/lib/otlp/schema';
import { type CountedSignal, signalsOfLogs, signalsOfTraces } from '@/lib/otlp/signals';
import { recordOfSignal } from '@/lib/otlp/to-record';
import { type FieldProblem, firstProblem } from '@/lib/wire/field-problem';

/** The records that an export carries, each with the unit (log record or span) that it came in. */
export interface Export {
  readonly records: readonly Record<string, unknown>[];
  readonly units: readonly number[];
  /** Units that carry no record. */
  readonly strangers: number;
}

export interface ExportProblem extends FieldProblem {
  readonly code: 'malformed_json' | 'malformed_protobuf' | 'invalid_field' | 'batch_too_large';
}

/** Log records, or spans and their events, of one export, whether they are records or not; with what belongs to them in protobuf. */
const BOUNDS: ExportBounds = { signals: BATCH_RECORDS_MAX, messages: 1_000_000 };
/** The same for JSON, where an attribute with its value is four values, three of them named. */
const JSON_BOUNDS: JsonSize = { values: 1_500_000, members: 1_000_000 };
/** Characters of all records together, each with the attributes that its resource or span shares with others. */
const UNFOLDED_MAX = 64 * 1024 * 1024;

/** The content of an export's body, in either encoding of OTLP/HTTP. */
export type ExportBody = { readonly protobuf: Uint8Array } | { readonly json: string };

interface Door {
  readonly message: 'LogsRequest' | 'TracesRequest';
  readonly schema: TSchema;
  readonly validator: Validator;
  readonly signals: (request: unknown, digest: string) => Iterable<CountedSignal>;
}

const DOORS: Readonly<Record<'logs' | 'traces', Door>> = {
  logs: {
    message: 'LogsRequest',
    schema: LogsRequest,
    validator: Compile(LogsRequest) as Validator,
    signals: (request, digest) => signalsOfLogs(request as LogsRequest, digest),
  },
  traces: {
    message: 'TracesRequest',
    schema: TracesRequest,
    validator: Compile(TracesRequest) as Validator,
    signals: (request, digest) => signalsOfTraces(request as TracesRequest, digest),
  },
};

/**
 * Reads the records out of an export request; the records themselves are validated by the intake. All at once, so that no two exports
 * are unfolded at a time.
 */
export function readExport(kind: 'logs' | 'traces', body: ExportBody): Result<Export, ExportProblem> {
  const { message, schema, validator, signals } = DOORS[kind];
  const request = 'json' in body ? parse(body.json) : decode(message, body.protobuf);
  if (!request.ok) return request;
  if (!validator.Check(request.value)) return err({ code: 'invalid_field', ...firstProblem(validator, schema, request.value) });
  const digest = createHash('sha256')
    .update('json' in body ? body.json : body.protobuf)
    .digest('hex');
  return collect(signals(request.value, digest));
}

function collect(signals: Iterable<CountedSignal>): Result<Export, ExportProblem> {
  const records: Record<string, unknown>[] = [];
  const units: number[] = [];
  const met = new Set<number>();
  let count = 0;
  let unfolded = 0;
  for (const signal of signals) {
    if (++count > BOUNDS.signals) return tooLarge(`${BOUNDS.signals} log records, spans and span events`);
    unfolded += signal.attributes.chars + signal.resource.chars;
    if (unfolded > UNFOLDED_MAX) return tooLarge(`${UNFOLDED_MAX} characters, with what its records share counted for each`);
    met.add(signal.unit);
    const record = recordOfSignal(signal);
    if (record === null) continue;
    records.push(record);
    units.push(signal.unit);
  }
  return ok({ records, units, strangers: met.size - new Set(units).size });
}

function tooLarge(bound: string): Result<never, ExportProblem> {
  return err({ code: 'batch_too_large', path: '', message: `an export holds at most ${bound}` });
}

function parse(text: string): Result<unknown, ExportProblem> {
  if (isJsonLarger(text, JSON_BOUNDS)) return tooLarge(`${JSON_BOUNDS.values} values, ${JSON_BOUNDS.members} of them named`);
  try {
    return ok(parseJsonExactly(text));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^JSON\.parse: /, '') : 'unreadable';
    return err({ code: 'malformed_json', path: '', message: `the body is not JSON: ${reason}` });
  }
}

function decode(message: Door['message'], bytes: Uint8Array): Result<unknown, ExportProblem> {
  try {
    if (isExportLarger(message, bytes, BOUNDS)) {
      return tooLarge(`${BOUNDS.signals} log records, spans and span events, and ${BOUNDS.messages} messages of protobuf in all`);
    }
    return ok(decodeMessage(message, bytes));
  } catch {
    // The decoder's own words speak of its buffer, not of anything a sender could correct.
    return err({ code: 'malformed_protobuf', path: '', message: 'the body is not an export request in protobuf' });
  }
}
