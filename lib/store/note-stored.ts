import { addRecord, noIncrements } from '@/lib/rollup/increments';
import { writeIncrements } from '@/lib/rollup/increments-text';
import { batchNote } from '@/lib/store/batch-note';
import type { NumberedBatch, RecordToStore } from '@/lib/store/record-to-store';
import { rolledRecord } from '@/lib/store/rolled-record';
import type { RowNames } from '@/lib/store/rows';
import { sqlLiteral } from '@/lib/store/sql-literal';

interface Arrivals {
  records: number;
  minAt: number;
  maxAt: number;
}

/** What one transaction stores. */
export interface StoredGroup {
  readonly records: readonly RecordToStore[];
  readonly batches: readonly NumberedBatch[];
  readonly namesOf: (record: RecordToStore) => RowNames;
}

/**
 * Statements, each with its semicolon, that leave in the transaction that stores records what they add to the rollups,
 * which numbered batches came, and what is there to be audited: one row for each of their servers. Text, so that
 * they can travel in the same message as the records.
 */
export function storedNote(number: number, { records, batches, namesOf }: StoredGroup): string {
  const increments = noIncrements();
  for (const batch of batches) increments.batches.push(batchNote(batch, (record) => namesOf(record).server));
  const servers = new Map<number, Arrivals>();
  for (const record of records) {
    const names = namesOf(record);
    addRecord(increments, rolledRecord(record, names));
    noteArrival(servers, names.server, record.at);
  }
  const rolled = `insert into pending_rollup (increments) values (${sqlLiteral(writeIncrements(increments))});`;
  if (servers.size === 0) return rolled;
  const arrivals = [...servers].map(
    ([server, { records: count, minAt, maxAt }]) => `(${server}, ${number}, ${count}, '${instant(minAt)}', '${instant(maxAt)}', now())`,
  );
  return `${rolled}insert into audit_inbox (server_id, batch, records, min_at, max_at, stored_at) values ${arrivals.join(',')};`;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function noteArrival(servers: Map<number, Arrivals>, server: number, at: number): void {
  const known = servers.get(server);
  if (known === undefined) {
    servers.set(server, { records: 1, minAt: at, maxAt: at });
    return;
  }
  known.records++;
  if (at < known.minAt) known.minAt = at;
  if (at > known.maxAt) known.maxAt = at;
}
