import type { Tx } from '@/db/transactions';
import { DEFAULT_PROJECT_ID } from '@/lib/access/projects';
import { addBatches, type BatchNote, type Before, type Loss, type Numbering } from '@/lib/rollup/batch-numbers';

/** Which numbering: what two projects call the same is not the same. */
type Key = readonly [project: number, producer: string, epoch: string];
type OwnedNote = BatchNote & { readonly project: number };

/**
 * Adds the numbers of stored batches to what is known of their producers, in the transaction that takes the notes
 * away. Numberings are taken in the order of their keys, each locked, so that processes that fold at once neither
 * deadlock nor overlook each other.
 */
export async function foldBatches(tx: Tx, batches: readonly BatchNote[]): Promise<void> {
  const owned = await withProjects(tx, batches);
  const groups = new Map<string, OwnedNote[]>();
  for (const batch of owned) {
    const key = JSON.stringify([batch.project, batch.producer, batch.epoch]);
    groups.set(key, [...(groups.get(key) ?? []), batch]);
  }
  for (const key of [...groups.keys()].sort()) await foldNumbering(tx, groups.get(key) ?? []);
  await noteServers(tx, owned);
}

/** What an earlier version noted is of the project of its servers. */
async function withProjects(tx: Tx, batches: readonly BatchNote[]): Promise<OwnedNote[]> {
  const untold = batches.filter(({ project }) => project === null).flatMap(({ servers }) => servers);
  const projects = new Map<number, number>();
  if (untold.length > 0) {
    const { rows } = await tx.query<{ id: number; project: number }>({
      name: 'projects of servers',
      text: 'select id, project_id as project from server where id = any($1::int[])',
      values: [[...new Set(untold)]],
    });
    for (const { id, project } of rows) projects.set(id, project);
  }
  return batches.map((batch) => ({ ...batch, project: batch.project ?? projects.get(batch.servers[0] ?? 0) ?? DEFAULT_PROJECT_ID }));
}

async function foldNumbering(tx: Tx, notes: readonly OwnedNote[]): Promise<void> {
  const [first] = notes;
  if (first === undefined) return;
  const key: Key = [first.project, first.producer, first.epoch];
  const { numbering, before } = await lockNumbering(tx, key);
  const numbers = notes.map(({ sequence }) => sequence);
  const touched = numbering === null ? [] : await takeLosses(tx, key, numbers);
  const after = addBatches({ numbering, losses: touched }, notes, before);
  if (after.numbering !== null) await writeNumbering(tx, key, after.numbering, notes);
  await insertLosses(tx, key, after.losses);
}

/** The row is made before it is read: two processes that meet a new epoch at once must wait for each other as well. */
async function lockNumbering(tx: Tx, key: Key): Promise<{ numbering: Numbering | null; before: Before }> {
  await tx.query({
    name: 'make numbering',
    text: `insert into producer_epoch (project_id, producer, epoch, head, head_at, dropped, first_at, last_at)
      values ($1, $2, $3, -1, '-infinity', 0, 'infinity', '-infinity') on conflict do nothing`,
    values: [...key],
  });
  const { rows } = await tx.query<NumberingRow>({
    name: 'lock numbering',
    text: `select first, head, dropped, case when head < 0 then 0 else extract(epoch from head_at) * 1000 end::float8 as head_ms,
        (select extract(epoch from max(o.head_at)) * 1000 from producer_epoch o
          where o.project_id = $1 and o.producer = $2 and o.epoch <> $3 and o.head >= 0)::float8 as before_ms,
        (select o.first = 0 and not exists (select from telemetry_loss l
            where l.project_id = $1 and l.producer = $2 and l.epoch = o.epoch and l.first = 0 and l.last >= 0)
          from producer_epoch o where o.project_id = $1 and o.producer = $2 and o.epoch <> $3 and o.head >= 0
          order by o.last_at desc limit 1) as from_zero
      from producer_epoch where project_id = $1 and producer = $2 and epoch = $3 for update`,
    values: [...key],
  });
  const [row] = rows;
  const before = { ms: row?.before_ms ?? null, isFromZero: row?.from_zero === true };
  if (row === undefined || Number(row.head) < 0) return { numbering: null, before };
  return {
    numbering: { first: Number(row.first), head: Number(row.head), headMs: row.head_ms, dropped: Number(row.dropped) },
    before,
  };
}

/** Takes the holes out that the numbers may fill; what is left of them is put back. */
async function takeLosses(tx: Tx, key: Key, numbers: readonly number[]): Promise<Loss[]> {
  const { rows } = await tx.query<LossRow>({
    name: 'take losses',
    text: `delete from telemetry_loss where project_id = $1 and producer = $2 and epoch = $3 and last >= first
        and first <= $5 and last >= $4
      returning first, last, records, server_id, is_rejected, extract(epoch from since)::float8 * 1000 as since_ms, extract(epoch from until)::float8 * 1000 as until_ms,
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
    server: row.server_id,
    isRejected: row.is_rejected,
  }));
}

/** What is known to be missing already is so once: of a numbering that is not known any more, a batch that is sent again says it anew. */
async function insertLosses(tx: Tx, key: Key, losses: readonly Loss[]): Promise<void> {
  if (losses.length === 0) return;
  await tx.query({
    name: 'insert losses',
    text: `insert into telemetry_loss (project_id, producer, epoch, first, last, server_id, is_rejected, records, since, until, revealed_at)
      select $1, $2, $3, first, last, server_id, is_rejected, records, to_timestamp(since / 1000), to_timestamp(until / 1000), to_timestamp(revealed / 1000)
      from unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::float8[], $8::float8[], $9::float8[], $10::int[], $11::bool[])
        as given (first, last, records, since, until, revealed, server_id, is_rejected)
      on conflict do nothing`,
    values: [
      ...key,
      losses.map(({ first }) => first),
      losses.map(({ last }) => last),
      losses.map(({ records }) => records),
      losses.map(({ sinceMs }) => sinceMs),
      losses.map(({ untilMs }) => untilMs),
      losses.map(({ revealedMs }) => revealedMs),
      losses.map(({ server }) => server),
      losses.map(({ isRejected }) => isRejected),
    ],
  });
}

async function writeNumbering(tx: Tx, key: Key, numbering: Numbering, notes: readonly BatchNote[]): Promise<void> {
  await tx.query({
    name: 'write numbering',
    text: `update producer_epoch set head = $4, head_at = to_timestamp($5::float8 / 1000), dropped = $6, first = $9,
        first_at = least(first_at, to_timestamp($7::float8 / 1000)), last_at = greatest(last_at, to_timestamp($8::float8 / 1000))
      where project_id = $1 and producer = $2 and epoch = $3`,
    values: [
      ...key,
      numbering.head,
      numbering.headMs,
      numbering.dropped,
      Math.min(...notes.map(({ firstMs }) => firstMs)),
      Math.max(...notes.map(({ lastMs }) => lastMs)),
      numbering.first,
    ],
  });
}

async function noteServers(tx: Tx, batches: readonly OwnedNote[]): Promise<void> {
  const pairs = new Map<string, readonly [project: number, producer: string, server: number]>();
  for (const { project, producer, servers } of batches) {
    for (const server of servers) pairs.set(JSON.stringify([project, producer, server]), [project, producer, server]);
  }
  if (pairs.size === 0) return;
  const sorted = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
  await tx.query({
    name: 'note servers of producers',
    text: `insert into producer_server (project_id, producer, server_id)
      select * from unnest($1::int[], $2::text[], $3::int[]) on conflict do nothing`,
    values: [sorted.map(([project]) => project), sorted.map(([, producer]) => producer), sorted.map(([, , server]) => server)],
  });
}

interface NumberingRow {
  readonly first: string;
  readonly head: string;
  readonly head_ms: number;
  readonly dropped: string;
  readonly before_ms: number | null;
  readonly from_zero: boolean | null;
}

interface LossRow {
  readonly first: string;
  readonly last: string;
  readonly records: string;
  readonly since_ms: number;
  readonly until_ms: number;
  readonly revealed_ms: number;
  readonly server_id: number;
  readonly is_rejected: boolean;
}
