import { createAudit } from '@/lib/audit/audit';
import type { AuditAnswer } from '@/lib/audit/finding';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** Findings and judgements of a history in the order given. */
export function auditOf(records: readonly TelemetryRecord[]): AuditAnswer {
  const audit = createAudit();
  for (const [index, record] of records.entries()) audit.push(record, index);
  return audit.finish();
}
