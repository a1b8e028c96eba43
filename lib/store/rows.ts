import { ACT_CODES, ASSESSMENT_CODES, MARK_CODES, REASON_CODES, RECORD_TYPE_CODES, VERDICT_CODES } from '@/db/codes';
import { copyField } from '@/lib/store/copy-text';
import { instantWriter } from '@/lib/store/instant-text';
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

// Two writers, since each remembers its last instant and a batch is received at one.
const sentAt = instantWriter();
const receivedAt = instantWriter();

/** One line of COPY text for the `attempt` table, its fields in the order of `ATTEMPT_COLUMNS`. */
export function attemptLine(record: RecordToStore, attempt: AttemptColumns, names: RowNames, place: number): string {
  return (
    `${rowStart(record, names)}\t${copyField(names.client)}\t${copyField(record.session)}\t${copyField(record.generation)}\t` +
    `${copyField(attempt.requestedGeneration)}\t${copyField(record.stream)}\t${copyField(attempt.protocolVersion)}\t${copyField(attempt.cursor)}\t` +
    `${copyField(attempt.floor)}\t${copyField(attempt.head)}\t${copyField(attempt.status)}\t${copyField(attempt.latencyMs)}\t` +
    `${judgementFields(attempt)}\t${copyField(attempt.gapCount)}\t${copyField(attempt.replayCount)}\t${copyField(attempt.lead)}\t` +
    `${copyField(record.body)}\t${place}\n`
  );
}

/** One line of COPY text for the `record` table, its fields in the order of `RECORD_COLUMNS`. */
export function recordLine(record: RecordToStore, names: RowNames, place: number): string {
  return (
    `${rowStart(record, names)}\t${copyField(record.session)}\t${RECORD_TYPE_CODES[record.type]}\t${copyField(record.generation)}\t` +
    `${copyField(record.stream)}\t${copyField(record.body)}\t${place}\n`
  );
}

function rowStart(record: RecordToStore, names: RowNames): string {
  return `${sentAt(record.at)}\t${record.id}\t${receivedAt(record.receivedAt)}\t${record.arrival}\t${names.server}\t${copyField(names.node)}`;
}

function judgementFields(attempt: AttemptColumns): string {
  const verdict = attempt.verdict === null ? null : VERDICT_CODES[attempt.verdict];
  const reason = attempt.reason === null ? null : REASON_CODES[attempt.reason];
  return (
    `${ACT_CODES[attempt.act]}\t${copyField(verdict)}\t${copyField(reason)}\t${ASSESSMENT_CODES[attempt.assessment]}\t` +
    `${MARK_CODES[attempt.mark]}\t${attempt.isUnavailable ? 't' : 'f'}`
  );
}
