import type { Sql } from '@/db/connect';
import { HttpError } from '@/lib/http/http-error';
import { querySessionHistory } from '@/lib/query/history-records';
import { queryAllPinnedRecords } from '@/lib/query/incident-records';
import { compareHistories } from '@/lib/replay/compare';
import type { CompareResult } from '@/lib/whatif/answer-schema';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** What two histories are laid side by side at. */
export const ALIGNMENTS = ['start', 'first_resume', 'last_boot'] as const;

/** A session by its reference, or an incident by its id. */
export interface ComparedHistory {
  readonly kind: 'session' | 'incident';
  readonly id: string;
  /** Place of the record that is aligned; null leaves it to the alignment. */
  readonly at: number | null;
}

/** Compares two histories step by step from the aligned records on. */
export async function compareOf(
  sql: Sql,
  left: ComparedHistory,
  right: ComparedHistory,
  align: (typeof ALIGNMENTS)[number],
): Promise<CompareResult> {
  const [a, b] = [await historyOf(sql, left), await historyOf(sql, right)];
  const at = { a: left.at ?? placeOf(a, align), b: right.at ?? placeOf(b, align) };
  const { alike, divergence } = compareHistories(a, b, at);
  return {
    left: { kind: left.kind, id: left.id, records: a.length, aligned_at: at.a },
    right: { kind: right.kind, id: right.id, records: b.length, aligned_at: at.b },
    alike,
    divergence:
      divergence === null
        ? null
        : {
            left_index: divergence.indexA,
            right_index: divergence.indexB,
            path: divergence.path,
            left: divergence.a ?? null,
            right: divergence.b ?? null,
          },
  };
}

async function historyOf(sql: Sql, { kind, id }: ComparedHistory): Promise<TelemetryRecord[]> {
  const records = await (kind === 'session' ? querySessionHistory(sql, id) : queryAllPinnedRecords(sql, id));
  if (records.length === 0) throw new HttpError('not_found', `no record is known of the ${kind} ${id}`);
  return records;
}

/** Where an alignment has no record of its kind, histories begin at their first. */
function placeOf(records: readonly TelemetryRecord[], align: (typeof ALIGNMENTS)[number]): number {
  if (align === 'start') return 0;
  const place =
    align === 'last_boot'
      ? records.findLastIndex(({ type }) => type === 'boot')
      : records.findIndex((record) => record.type === 'resume_attempt' && typeof record.last_event_id === 'string');
  return Math.max(place, 0);
}
