import type { Tx } from '@/db/transactions';
import { addBatches, type BatchNote, type Loss, type Numbering } from '@/lib/rollup/batch-numbers';

/**
 * Adds the numbers of stored batches to what is known of their producers, in the transaction that takes the notes
 * away. Numberings are taken in the order of their keys, each locked, so that processes that fold at once neither
 * deadlock nor overlook each other.
 */
export async function foldBatches(tx: Tx, batches: readonly BatchNote[]): Promise<void> {
  const groups = new Map<string, BatchNote[]>();
  for (const batch of batches) {
    const key = JSON.stringify([batch.producer, batch.epoch]);
    groups.set(key, [...(groups.get(key) ?? []), batch]);
  }
  for (const key of [...groups.keys()].sort()) await foldNumbering(tx, groups.get(key) ?? []);
  await noteServers(tx, batches);
}

async function foldNumbering(tx: Tx, notes: readonly BatchNote[]): Promise<void> {
  const [first] = notes;
  if (first === undefined) return;
  const key = [first.producer, first.epoch];
  const { numbering, beforeMs } = await lockNumbering(tx, key);
  const numbers = notes.map(({ sequence }) => sequence);
  const touched = numbering === null ? [] : await takeLosses(tx, key, numbers);
  const after = addBatches({ numbering, losses: touched }, notes, beforeMs);
  if (after.numbering !== null) await writeNumbering(tx, key, after.numbering, notes);
  await insertLosses(tx, key, after.losses);
}

/** The row is made before it is read: two processes that meet a new epoch at once must wait for each other as well. */
async function lockNumbering(tx: Tx, key: readonly string[]): Promise<{ numbering: Numbering | null; beforeMs: number | null }> {
  await tx.query({
    name: 'make numbering',
    text: `insert into producer_epoch (producer, epoch, head, head_at, dropped, first_at, last_at)
      values ($1, $2, -1, '-infinity', 0, 'infinity', '-infinity') on conflict do nothing`,
    values: [...key],
  });
  const { rows } = await tx.query<{ head: string; head_ms: number; dropped: string; before_ms: number | null }>({
    name: 'lock numbering',
    text: `select head, dropped, case when head < 0 then 0 else extract(epoch from head_at) * 1000 end::float8 as head_ms,
        (select extract(epoch from max(o.head_at)) * 1000 from producer_epoch o where o.producer = $1 and o.epoch <> $2 and o.head >= 0)::float8
          as before_ms
      from producer_epoch where producer = $1 and epoch = $2 for update`,
    values: [...key],
  });
  const [row] = rows;
  if (row === undefined || Number(row.head) < 0) return { numbering: null, beforeMs: row?.before_ms ?? null };
  return { numbering: { head: Number(row.head), headMs: row.head_ms, dropped: Number(row.dropped) }, beforeMs: row.before_ms };
}

/** Takes the holes out that the numbers may fill; what is left of them is put back. */
async function takeLosses(tx: Tx, key: readonly string[], numbers: readonly number[]): Promise<Loss[]> {
  const { rows } = await tx.query<LossRow>({
    name: 'take losses',
    text: `delete from telemetry_loss where producer = $1 and epoch = $2 and last >= first
        and first <= $4 and last >= $3
      returning first, last, records, extract(epoch from since)::float8 * 1000 as since_ms, extract(epoch from until)::float8 * 1000 as until_ms,
        extract(epoch from revealed_at)::float8 * 1000 as revealed_ms`,
    values: [...key, Math.min(...numbers), Math.max(...numbers)],
  });
  return rows.map((row) => ({
    first: Number(row.first),
    last: Number(row.last),
    records: Number(row.records),
    sinceMs: row.since_ms,
    untilMs: row.until_ms,
    revealedMs: row.revealed_ms,
  }));
}

async function insertLosses(tx: Tx, key: readonly string[], losses: readonly Loss[]): Promise<void> {
  if (losses.length === 0) return;
  await tx.query({
    name: 'insert losses',
    text: `insert into telemetry_loss (producer, epoch, first, last, records, since, until, revealed_at)
      select $1, $2, first, last, records, to_timestamp(since / 1000), to_timestamp(until / 1000), to_timestamp(revealed / 1000)
      from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[], $8::float8[])
        as given (first, last, records, since, until, revealed)`,
    values: [
      ...key,
      losses.map(({ first }) => first),
      losses.map(({ last }) => last),
      losses.map(({ records }) => records),
      losses.map(({ sinceMs }) => sinceMs),
      losses.map(({ untilMs }) => untilMs),
      losses.map(({ revealedMs }) => revealedMs),
    ],
  });
}

async function writeNumbering(tx: Tx, key: readonly string[], numbering: Numbering, notes: readonly BatchNote[]): Promise<void> {
  await tx.query({
    name: 'write numbering',
    text: `update producer_epoch set head = $3, head_at = to_timestamp($4::float8 / 1000), dropped = $5,
        first_at = least(first_at, to_timestamp($6::float8 / 1000)), last_at = greatest(last_at, to_timestamp($7::float8 / 1000))
      where producer = $1 and epoch = $2`,
    values: [
      ...key,
      numbering.head,
      numbering.headMs,
      numbering.dropped,
      Math.min(...notes.map(({ firstMs }) => firstMs)),
      Math.max(...notes.map(({ lastMs }) => lastMs)),
    ],
  });
}

async function noteServers(tx: Tx, batches: readonly BatchNote[]): Promise<void> {
  const pairs = new Map<string, readonly [producer: string, server: number]>();
  for (const { producer, servers } of batches) {
    for (const server of servers) pairs.set(JSON.stringify([producer, server]), [producer, server]);
  }
  if (pairs.size === 0) return;
  const sorted = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
  await tx.query({
    name: 'note servers of producers',
    text: 'insert into producer_server (producer, server_id) select * from unnest($1::text[], $2::int[]) on conflict do nothing',
    values: [sorted.map(([producer]) => producer), sorted.map(([, server]) => server)],
  });
}

interface LossRow {
  readonly first: string;
  readonly last: string;
  readonly records: string;
  readonly since_ms: number;
  readonly until_ms: number;
  readonly revealed_ms: number;
}
