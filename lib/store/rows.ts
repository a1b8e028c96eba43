import { ACT_CODES, ASSESSMENT_CODES, MARK_CODES, REASON_CODES, RECORD_TYPE_CODES, VERDICT_CODES } from '@/db/codes';
import type { BinaryRows } from '@/lib/store/binary-rows';
import type { AttemptColumns, RecordToStore } from '@/lib/store/record-to-store';

/** Numbers of the names that a row refers to. */
export interface RowNames {
  readonly server: number;
  readonly node: number | null;
  readonly client: number | null;
}

export const ATTEMPT_COLUMNS =
  'at, id, received_at, arrival, server_id, node_id, client_id, session_ref, generation, requested_generation, stream, protocol_version, ' +
  'cursor, floor, head, status, latency_ms, act, verdict, reason, assessment, mark, is_unavailable, gap_count, replay_count, lead, body, place';

export const RECORD_COLUMNS = 'at, id, received_at, arrival, server_id, node_id, session_ref, type, generation, stream, body, place';

const ATTEMPT_FIELDS = ATTEMPT_COLUMNS.split(',').length;
const RECORD_FIELDS = RECORD_COLUMNS.split(',').length;

/** Writes a row of the `attempt` table, its fields in the order of `ATTEMPT_COLUMNS`. */
export function writeAttempt(rows: BinaryRows, record: RecordToStore, attempt: AttemptColumns, names: RowNames, place: number): void {
  rows.begin(ATTEMPT_FIELDS);
  writeStart(rows, record, names);
  rows.integer(names.client);
  rows.uuid(record.session);
  rows.text(record.generation);
  rows.text(attempt.requestedGeneration);
  rows.text(record.stream);
  rows.text(attempt.protocolVersion);
  rows.bigint(attempt.cursor);
  rows.bigint(attempt.floor);
  rows.bigint(attempt.head);
  rows.smallint(attempt.status);
  rows.double(attempt.latencyMs);
  rows.smallint(ACT_CODES[attempt.act]);
  rows.smallint(attempt.verdict === null ? null : VERDICT_CODES[attempt.verdict]);
  rows.smallint(attempt.reason === null ? null : REASON_CODES[attempt.reason]);
  rows.smallint(ASSESSMENT_CODES[attempt.assessment]);
  rows.smallint(MARK_CODES[attempt.mark]);
  rows.boolean(attempt.isUnavailable);
  rows.bigint(attempt.gapCount);
  rows.bigint(attempt.replayCount);
  rows.bigint(attempt.lead);
  rows.text(record.body);
  rows.safeInteger(place);
}

/** Writes a row of the `record` table, its fields in the order of `RECORD_COLUMNS`. */
export function writeRecord(rows: BinaryRows, record: RecordToStore, names: RowNames, place: number): void {
  rows.begin(RECORD_FIELDS);
  writeStart(rows, record, names);
  rows.uuid(record.session);
  rows.smallint(RECORD_TYPE_CODES[record.type]);
  rows.text(record.generation);
  rows.text(record.stream);
  rows.text(record.body);
  rows.safeInteger(place);
}

function writeStart(rows: BinaryRows, record: RecordToStore, names: RowNames): void {
  rows.instant(record.at);
  rows.uuid(record.id);
  rows.instant(record.receivedAt);
  rows.safeInteger(record.arrival);
  rows.integer(names.server);
  rows.integer(names.node);
}
