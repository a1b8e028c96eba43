import { auditRecords } from '@/lib/audit/audit-records';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { parseJsonBatch, parseLineBatch } from '@/lib/intake/batch-text';

/**
 * Audits the text of a history, JSON or NDJSON as its media type says; answers with the JSON text of what it proves.
 *
 * @throws HttpError `malformed_json`, `batch_too_large`, `invalid_field` with the record's place
 */
export function auditText(mediaType: string, text: string): string {
  const batch = mediaType === 'application/json' ? parseJsonBatch(text) : parseLineBatch(text);
  if (!batch.ok) throw new HttpError(batch.error.code, batch.error.message);
  for (const [index, message] of batch.value.unreadable) throw invalidField(`[${index}]`, message);
  const answer = auditRecords(batch.value.values);
  if (answer.ok) return JSON.stringify(answer.value);
  const { index, path, message } = answer.error;
  throw invalidField(path === '' ? `[${index}]` : `[${index}].${path}`, message);
}
