import Type from 'typebox';
import { AuditBody } from '@/lib/audit/answer-schema';
import { auditRecords } from '@/lib/audit/audit-records';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { ok, type RequestBody, type Route } from '@/lib/http/route';
import { type Batch, parseJsonBatch, parseLineBatch } from '@/lib/intake/batch-text';
import { RECORD_SCHEMAS } from '@/lib/wire/schema';

const Record = Type.Union(Object.values(RECORD_SCHEMAS));
/** An audit is one computation on the process that takes telemetry, so its input stays below a second's work. */
const HISTORY_BYTES_MAX = 16 * 1024 * 1024;

export const auditRoute: Route = {
  method: 'POST',
  path: '/api/v1/audit',
  summary: 'What a history of records proves; nothing is stored',
  scope: 'read',
  body: { 'application/json': Type.Union([Record, Type.Array(Record)]), 'application/x-ndjson': Record },
  bodyBytesMax: HISTORY_BYTES_MAX,
  answers: { 200: AuditBody },
  errors: ['malformed_json', 'invalid_field', 'batch_too_large'],
  handle: async (call) => {
    const { values, unreadable } = batchOf(await call.body());
    for (const [index, message] of unreadable) throw invalidField(`[${index}]`, message);
    const answer = auditRecords(values);
    if (answer.ok) return ok(answer.value);
    const { index, path, message } = answer.error;
    throw invalidField(path === '' ? `[${index}]` : `[${index}].${path}`, message);
  },
};

function batchOf({ mediaType, text }: RequestBody): Batch {
  const batch = mediaType === 'application/json' ? parseJsonBatch(text) : parseLineBatch(text);
  if (!batch.ok) throw new HttpError(batch.error.code, batch.error.message);
  return batch.value;
}
