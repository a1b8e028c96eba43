import Type from 'typebox';
import { AuditBody } from '@/lib/audit/answer-schema';
import type { Route } from '@/lib/http/route';
import { whileConnected } from '@/lib/http/stream-lines';
import { RECORD_SCHEMAS } from '@/lib/wire/schema';
import { auditText } from '@/server/history/audit-text';
import type { HistoryPool } from '@/server/history/history-pool';

const Record = Type.Union(Object.values(RECORD_SCHEMAS));
const HISTORY_BYTES_MAX = 16 * 1024 * 1024;
/** Up to here an audit takes a few milliseconds, less than to hand it to a thread. */
const AT_ONCE_CHARS_MAX = 65_536;

/** Audits in a thread of the pool, so that no history keeps the intake or the proxy waiting; who goes away calls it off. */
export function auditRoute(pool: HistoryPool): Route {
  return {
    method: 'POST',
    path: '/api/v1/audit',
    summary: 'What a history of records proves; nothing is stored',
    scope: 'read',
    body: { 'application/json': Type.Union([Record, Type.Array(Record)]), 'application/x-ndjson': Record },
    bodyBytesMax: HISTORY_BYTES_MAX,
    answers: { 200: AuditBody },
    errors: ['malformed_json', 'invalid_field', 'batch_too_large', 'busy', 'job_timeout'],
    handle: async (call) => {
      const { mediaType, text } = await call.body();
      const body =
        text.length <= AT_ONCE_CHARS_MAX
          ? auditText(mediaType, text)
          : await whileConnected(call.request, (signal) => pool.run({ type: 'prove', mediaType, text }, { signal }));
      return { status: 200, body: String(body), mediaType: 'application/json' };
    },
  };
}
