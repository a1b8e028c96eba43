import type { Tx } from '@/db/transactions';
import { addRecord, noIncrements } from '@/lib/rollup/increments';
import { writeIncrements } from '@/lib/rollup/increments-text';
import { batchNote } from '@/lib/store/batch-note';
import type { NumberedBatch, RecordToStore } from '@/lib/store/record-to-store';
import { rolledRecord } from '@/lib/store/rolled-record';
import type { RowNames } from '@/lib/store/rows';

interface Arrivals {
  records: number;
  minAt: number;
  maxAt: number;
}

/**
 * Leaves, in the transaction that stores records, what they add to the rollups, which numbered batches came, and what is
 * there to be audited: one row for each of their servers.
 */
export async function noteStored(
  tx: Tx,
  number: number,
  {
    records,
    batches,
    namesOf,
  }: {
    readonly records: readonly RecordToStore[];
    readonly batches: readonly NumberedBatch[];
    readonly namesOf: (record: RecordToStore) => RowNames;
  },
): Promise<void> {
  const increments = noIncrements();
  for (const batch of batches) increments.batches.push(batchNote(batch, (record) => namesOf(record).server));
  const servers = new Map<number, Arrivals>();
  for (const record of records) {
    const names = namesOf(record);
    addRecord(increments, rolledRecord(record, names));
    noteArrival(servers, names.server, record.at);
  }
  const arrivals = [...servers];
  await tx.query({
    name: 'note stored',
    text: `with rolled as (insert into pending_rollup (increments) values ($1))
      insert into audit_inbox (server_id, batch, records, min_at, max_at, stored_at)
      select server, $2, records, min_at, max_at, now()
      from unnest($3::int[], $4::int[], $5::timestamptz[], $6::timestamptz[]) as given (server, records, min_at, max_at)`,
    values: [
      writeIncrements(increments),
      number,
      arrivals.map(([server]) => server),
      arrivals.map(([, { records: count }]) => count),
      arrivals.map(([, { minAt }]) => new Date(minAt).toISOString()),
      arrivals.map(([, { maxAt }]) => new Date(maxAt).toISOString()),
    ],
  });
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
