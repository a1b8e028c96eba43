import type { Sql } from '@/db/connect';
import { countServerRecords, queryServerHistory, readServerAttempts, type ServerPeriod } from '@/lib/query/history-records';
import { type AttemptCase, caseOfAttempt } from '@/lib/whatif/attempt-case';
import { casesOfHistory } from '@/lib/whatif/cases-of-history';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';

/** Records of a period that are read as one history; beyond them attempts speak for themselves. */
const HISTORY_RECORDS_MAX = 200_000;

/** An attempt to be decided again, beside its record. */
export interface RecordedCase {
  readonly attempt: AttemptCase;
  readonly record: ResumeAttemptRecord;
  readonly id: string | null;
}

/** The attempts of a period in chunks, and what they rest on. */
export interface RecordedCases {
  readonly basis: 'history' | 'attempts';
  /** Mean size of an event, null when none is known. */
  readonly eventBytes: number | null;
  readonly chunks: AsyncIterable<readonly RecordedCase[]>;
}

/** The attempts of a server in a period: from its whole history when that is not too long. */
export async function casesOfServer(sql: Sql, period: ServerPeriod): Promise<RecordedCases> {
  const records = await countServerRecords(sql, period, HISTORY_RECORDS_MAX + 1);
  if (records > HISTORY_RECORDS_MAX) return { basis: 'attempts', eventBytes: null, chunks: attemptChunks(sql, period) };
  return casesOfRecords(await queryServerHistory(sql, period));
}

/** The attempts of a history that is at hand. */
export function casesOfRecords(records: readonly TelemetryRecord[]): RecordedCases {
  return { basis: 'history', eventBytes: meanBytes(records), chunks: oneChunk(records) };
}

async function* oneChunk(records: readonly TelemetryRecord[]): AsyncGenerator<RecordedCase[]> {
  yield casesOfHistory(records).flatMap((attempt) => {
    const record = records[attempt.index];
    return record?.type === 'resume_attempt' ? [{ attempt, record, id: record.id ?? null }] : [];
  });
}

async function* attemptChunks(sql: Sql, period: ServerPeriod): AsyncGenerator<RecordedCase[]> {
  let index = 0;
  for await (const { ids, records } of readServerAttempts(sql, period)) {
    yield records.map((record, place) => ({ attempt: caseOfAttempt(record, index++), record, id: ids[place] ?? null }));
  }
}

function meanBytes(records: readonly TelemetryRecord[]): number | null {
  let bytes = 0;
  let events = 0;
  for (const record of records) {
    if (record.type !== 'emit' || record.bytes === undefined) continue;
    bytes += record.bytes;
    events += record.event_ids?.length ?? (record.range === undefined ? 1 : Number(record.range[1]) - Number(record.range[0]) + 1);
  }
  return events === 0 ? null : bytes / events;
}
