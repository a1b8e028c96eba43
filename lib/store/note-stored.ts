import type { Drop } from '@/lib/rollup/batch-numbers';
import { addRecord, type Increments, noIncrements } from '@/lib/rollup/increments';
import { writeIncrements } from '@/lib/rollup/increments-text';
import { batchNote, unnumberedNotes } from '@/lib/store/batch-note';
import { instantWriter } from '@/lib/store/instant-text';
import type { KnownServers } from '@/lib/store/known-servers';
import { placeOf } from '@/lib/store/place';
import type { RecordToStore, SentBatch } from '@/lib/store/record-to-store';
import { rolledRecord } from '@/lib/store/rolled-record';
import type { RowNames } from '@/lib/store/rows';
import { sqlLiteral } from '@/lib/store/sql-literal';

/** A record and the numbers of the names that it holds. */
export interface NamedRecord {
  readonly record: RecordToStore;
  readonly names: RowNames;
}

/** What one transaction stores. */
export interface StoredGroup {
  readonly records: readonly NamedRecord[];
  readonly batches: readonly SentBatch[];
  readonly servers: KnownServers;
}

/** What records add to the rollups, which numbered batches came, and what was rejected. */
export function incrementsOf(number: number, { records, batches, servers }: StoredGroup): Increments {
  const increments = noIncrements();
  for (const batch of batches) {
    if (batch.origin === null) increments.rejected.push(...unnumberedNotes(batch, servers));
    else increments.batches.push(batchNote(batch, batch.origin, servers));
  }
  for (const [index, { record, names }] of records.entries()) {
    addRecord(increments, rolledRecord(record, names));
    if (record.droppedBefore > 0) increments.drops.push(dropOf(record, names, placeOf(number, index)));
  }
  return increments;
}

/**
 * Statements, each with its semicolon, that leave in the transaction that stores records what they add to the rollups and what is
 * there to be audited: one row for each of their servers. Text, so that they can travel in the same message as the records.
 */
export function storedNote(number: number, increments: Increments): string {
  const rolled = `insert into pending_rollup (batch, increments) values (${number}, ${sqlLiteral(writeIncrements(increments))});`;
  return increments.servers.size === 0 ? rolled : rolled + arrivalsNote(number, increments);
}

function dropOf(record: RecordToStore, { server, node }: RowNames, place: number): Drop {
  return { server, node, place, records: record.droppedBefore, atMs: record.at, receivedMs: record.receivedAt };
}

const instant = instantWriter();

/** Arrays rather than a row of values for each server, which would be parsed one expression at a time. */
function arrivalsNote(number: number, { servers }: Increments): string {
  const arrivals = [...servers.values()];
  const columns = [
    `'{${[...servers.keys()].join(',')}}'::int[]`,
    `'{${arrivals.map(({ records }) => records).join(',')}}'::int[]`,
    `'{${arrivals.map(({ firstMs }) => instant(firstMs)).join(',')}}'::timestamptz[]`,
    `'{${arrivals.map(({ lastMs }) => instant(lastMs)).join(',')}}'::timestamptz[]`,
  ];
  return (
    'insert into audit_inbox (server_id, batch, records, min_at, max_at, stored_at) ' +
    `select server_id, ${number}, records, min_at, max_at, now() from unnest(${columns.join(', ')}) as given (server_id, records, min_at, max_at);`
  );
}
