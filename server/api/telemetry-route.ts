import Type from 'typebox';
import type { ErrorCode } from '@/lib/http/error-codes';
import { invalidField } from '@/lib/http/http-error';
import type { Route } from '@/lib/http/route';
import { originOfHeaders } from '@/lib/intake/batch-origin';
import type { Intake } from '@/lib/intake/intake';
import { IntakeAnswer } from '@/lib/wire/responses';
import { RECORD_SCHEMAS } from '@/lib/wire/schema';

const Record = Type.Union(Object.values(RECORD_SCHEMAS));
/** Bytes of one batch after decompression. */
export const BATCH_BYTES_MAX = 32 * 1024 * 1024;
/** What every door of the intake may refuse a batch with, beside what is of its own form. */
export const INTAKE_ERRORS = [
  'malformed_json',
  'invalid_field',
  'batch_too_large',
  'intake_full',
  'database_unavailable',
  'database_read_only',
  'disk_full',
  'shutting_down',
] as const satisfies readonly ErrorCode[];

export function telemetryRoute(intake: Intake): Route {
  return {
    method: 'POST',
    path: '/api/v1/telemetry',
    summary: 'Stores telemetry records; answers after the commit',
    scope: 'ingest',
    body: { 'application/json': Type.Union([Record, Type.Array(Record)]), 'application/x-ndjson': Record },
    bodyBytesMax: BATCH_BYTES_MAX,
    answers: { 202: IntakeAnswer },
    errors: INTAKE_ERRORS,
    handle: async (call) => {
      const origin = originOfHeaders(call.request.headers);
      if (!origin.ok) throw invalidField(origin.error.path, origin.error.message);
      const hold = (bytes: number): void => call.room.hold(bytes);
      if (call.mediaType !== 'application/json') {
        const lines = intake.lines(origin.value, call.caller, hold);
        await call.bodyParts(lines.take);
        return { status: 202, body: await lines.finish() };
      }
      return { status: 202, body: await intake.submitText((await call.body()).text, origin.value, call.caller, hold) };
    },
  };
}
