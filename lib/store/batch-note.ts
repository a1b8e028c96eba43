import type { BatchNote } from '@/lib/rollup/batch-numbers';
import type { NumberedBatch, RecordToStore } from '@/lib/store/record-to-store';

/** A numbered batch as it is remembered: its numbers, and what its records tell of the time and of the servers it is about. */
export function batchNote({ project, origin, receivedAt, records }: NumberedBatch, serverOf: (record: RecordToStore) => number): BatchNote {
  const servers = new Set<number>();
  let firstMs = records.length === 0 ? receivedAt : Number.POSITIVE_INFINITY;
  let lastMs = records.length === 0 ? receivedAt : Number.NEGATIVE_INFINITY;
  for (const record of records) {
    servers.add(serverOf(record));
    if (record.at < firstMs) firstMs = record.at;
    if (record.at > lastMs) lastMs = record.at;
  }
  return {
    project,
    producer: storable(origin.producer),
    epoch: storable(origin.epoch),
    sequence: origin.sequence,
    dropped: origin.dropped,
    firstMs,
    lastMs,
    receivedMs: receivedAt,
    servers: [...servers],
  };
}

/** Postgres stores no half of a surrogate pair. */
function storable(name: string): string {
  return name.replace(/\p{Surrogate}/gu, '\ufffd');
}
