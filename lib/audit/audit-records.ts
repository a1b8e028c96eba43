import { createAudit } from '@/lib/audit/audit';
import type { AuditAnswer } from '@/lib/audit/finding';
import { err, ok, type Result } from '@/lib/base/result';
import { decodeRecord } from '@/lib/wire/decode-record';

/** The first record of an input that cannot be read. */
export interface RecordProblem {
  readonly index: number;
  readonly path: string;
  readonly message: string;
}

/**
 * Audits a whole history, records in the order given. Absent members have the contract's defaults (server
 * "default", session "S1", stream "get"); an explicit `session: null` stays none. Pure; nothing is kept.
 */
export function auditRecords(values: unknown): Result<AuditAnswer, RecordProblem> {
  if (!Array.isArray(values)) return err({ index: 0, path: '', message: 'must be an array of records' });
  const audit = createAudit();
  for (const [index, value] of values.entries()) {
    const decoded = decodeRecord(value);
    if (!decoded.ok) return err({ index, ...decoded.error });
    audit.push(decoded.value, index);
  }
  return ok(audit.finish());
}
