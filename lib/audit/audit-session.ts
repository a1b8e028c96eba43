import { createAudit } from '@/lib/audit/audit';
import type { Finding } from '@/lib/audit/finding';
import type { TelemetryRecord } from '@/lib/wire/schema';

/**
 * What the stored records of one session prove, in the order given. Faults that only show across sessions
 * (`cross_session_replay`, `abandoned_sessions`, `header_stripped`) need the records of all of them.
 */
export function auditSession(records: readonly TelemetryRecord[]): readonly Finding[] {
  const audit = createAudit();
  for (const [index, record] of records.entries()) audit.push(record, index);
  return audit.finish().findings;
}
