import { parseJsonExactly } from '@/lib/base/json';
import { refOfUuid } from '@/lib/query/attempt-item';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** Columns that a stored record is made of again. */
export interface StoredBody {
  readonly id: string;
  readonly at: Date;
  readonly session_ref: string | null;
  readonly body: string;
}

/** A stored record as it was sent, its session token a reference, without any judgement of ours. */
export function plainRecord({ id, at, session_ref, body }: StoredBody, server: string): TelemetryRecord {
  // The body was validated before it was stored, and nothing else writes it.
  const record = parseJsonExactly(body) as TelemetryRecord;
  const session = session_ref === null ? {} : { session: refOfUuid(session_ref) };
  return { ...record, id, at: at.toISOString(), server, ...session };
}
