import type { Sql } from '@/db/connect';
import type { Transactions, Tx } from '@/db/transactions';
import { addRecord, noIncrements } from '@/lib/rollup/increments';
import { writeIncrements } from '@/lib/rollup/increments-text';
import { batchNote } from '@/lib/store/batch-note';
import { copyInto } from '@/lib/store/copy-into';
import { Dictionary } from '@/lib/store/dictionary';
import { Partitions } from '@/lib/store/partitions';
import { noteEvidence } from '@/lib/store/pending-evidence';
import type { NumberedBatch, RecordToStore, StoreOutcome } from '@/lib/store/record-to-store';
import { rolledRecord } from '@/lib/store/rolled-record';
import { ATTEMPT_COLUMNS, attemptLine, RECORD_COLUMNS, type RowNames, recordLine } from '@/lib/store/rows';
import { dateUndated } from '@/lib/store/undated';

/** Stores groups of records, each group in one transaction. */
export class RecordStore {
  readonly #sql: Sql;
  readonly #transactions: Transactions;
  readonly #partitions: Partitions;
  readonly #servers: Dictionary;
  readonly #nodes: Dictionary;
  readonly #clients: Dictionary;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
    this.#partitions = new Partitions(sql);
    this.#servers = new Dictionary(sql, 'server');
    this.#nodes = new Dictionary(sql, 'node');
    this.#clients = new Dictionary(sql, 'client');
  }

  /** Makes day partitions for today and the days ahead; called at start and daily. */
  async prepareDays(now: number): Promise<void> {
    this.#partitions.forget();
    await this.#partitions.ensure([now - 86_400_000, now, now + 86_400_000, now + 2 * 86_400_000]);
  }

  /**
   * Stores the records; when it returns they are committed, each once. Records that were stored before are named
   * in the outcome. Numbered batches are noted in the same transaction. Throws when nothing of the group was
   * stored, or when that cannot be known.
   */
  async store(records: readonly RecordToStore[], batches: readonly NumberedBatch[] = []): Promise<StoreOutcome> {
    if (records.length === 0 && batches.length === 0) return { duplicates: new Set() };
    await dateUndated(this.#sql, records);
    const duplicates = repeatedWithin(records);
    const fresh = duplicates.size === 0 ? records : records.filter((record) => !duplicates.has(record));
    const namesOf = await this.#names(records);
    await this.#partitions.ensure(instantsOf(records));
    try {
      await this.#storeOnce(fresh, batches, namesOf, duplicates);
    } catch (cause) {
      // Another process dropped a day that we thought was there.
      if (codeOf(cause) !== NO_PARTITION) throw cause;
      this.#partitions.forget();
      await this.#partitions.ensure(instantsOf(records));
      await this.#storeOnce(fresh, batches, namesOf, duplicates);
    }
    return { duplicates };
  }

  /** Stores what is not stored yet; adds the rest to `duplicates`. */
  async #storeOnce(
    records: readonly RecordToStore[],
    batches: readonly NumberedBatch[],
    namesOf: NamesOf,
    duplicates: Set<RecordToStore>,
  ): Promise<void> {
    try {
      await this.#transactions.run((tx) => this.#storeNew(tx, records, batches, namesOf));
    } catch (cause) {
      if (!COLLISIONS.has(codeOf(cause))) throw cause;
      const stored = await this.#transactions.run((tx) => this.#storeMissing(tx, records, batches, namesOf));
      for (const record of records) if (!stored.has(rowKey(record))) duplicates.add(record);
    }
  }

  /** The common case: no row is there yet. Straight into the tables, all or nothing. */
  async #storeNew(tx: Tx, records: readonly RecordToStore[], batches: readonly NumberedBatch[], namesOf: NamesOf): Promise<void> {
    const attempts = records.filter((record) => record.attempt !== null);
    if (attempts.length > 0) await copyInto(tx, 'attempt', ATTEMPT_COLUMNS, attemptLines(attempts, namesOf));
    if (attempts.length < records.length) await copyInto(tx, 'record', RECORD_COLUMNS, recordLines(records, namesOf));
    await notePending(tx, records, batches, namesOf);
    await noteEvidence(tx, records);
  }

  /** Some rows are there already: stages the group and inserts what is missing, in key order against deadlocks. */
  async #storeMissing(
    tx: Tx,
    records: readonly RecordToStore[],
    batches: readonly NumberedBatch[],
    namesOf: NamesOf,
  ): Promise<Set<string>> {
    await tx.query('create temp table staged_attempt (like attempt including defaults) on commit drop');
    await tx.query('create temp table staged_record (like record including defaults) on commit drop');
    await copyInto(tx, 'staged_attempt', ATTEMPT_COLUMNS, attemptLines(records, namesOf));
    const attempts = await insertMissing(tx, 'attempt', ATTEMPT_COLUMNS);
    await copyInto(tx, 'staged_record', RECORD_COLUMNS, recordLines(records, namesOf));
    const others = await insertMissing(tx, 'record', RECORD_COLUMNS);
    const stored = new Set([...attempts, ...others]);
    const fresh = records.filter((record) => stored.has(rowKey(record)));
    if (fresh.length > 0 || batches.length > 0) await notePending(tx, fresh, batches, namesOf);
    await noteEvidence(tx, fresh);
    return stored;
  }

  async #names(records: readonly RecordToStore[]): Promise<NamesOf> {
    const servers = new Set<string>();
    const nodes = new Set<string>();
    const clients = new Set<string>();
    for (const { server, node, attempt } of records) {
      servers.add(server);
      if (node !== null) nodes.add(node);
      if (attempt !== null && attempt.client !== null) clients.add(attempt.client);
    }
    const [serverNumbers, nodeNumbers, clientNumbers] = await Promise.all([
      this.#servers.numbersOf(servers),
      this.#nodes.numbersOf(nodes),
      this.#clients.numbersOf(clients),
    ]);
    return ({ server, node, attempt }) => ({
      server: numberOf(serverNumbers, server),
      node: node === null ? null : numberOf(nodeNumbers, node),
      client: attempt === null || attempt.client === null ? null : numberOf(clientNumbers, attempt.client),
    });
  }
}

type NamesOf = (record: RecordToStore) => RowNames;

function numberOf(numbers: ReadonlyMap<string, number>, name: string): number {
  const number = numbers.get(name);
  if (number === undefined) throw new Error('a name was added to its dictionary and is not there');
  return number;
}

function* attemptLines(records: readonly RecordToStore[], namesOf: NamesOf): Generator<string> {
  for (const record of records) if (record.attempt !== null) yield attemptLine(record, record.attempt, namesOf(record));
}

function* recordLines(records: readonly RecordToStore[], namesOf: NamesOf): Generator<string> {
  for (const record of records) if (record.attempt === null) yield recordLine(record, namesOf(record));
}

function* instantsOf(records: readonly RecordToStore[]): Generator<number> {
  for (const record of records) yield record.at;
}

/** Leaves what newly stored records add to the rollups, and which batches came, in the transaction that stores them. */
async function notePending(tx: Tx, records: readonly RecordToStore[], batches: readonly NumberedBatch[], namesOf: NamesOf): Promise<void> {
  const increments = noIncrements();
  for (const record of records) addRecord(increments, rolledRecord(record, namesOf(record)));
  for (const batch of batches) increments.batches.push(batchNote(batch, (record) => namesOf(record).server));
  await tx.query({
    name: 'note pending',
    text: 'insert into pending_rollup (increments) values ($1)',
    values: [writeIncrements(increments)],
  });
}

async function insertMissing(tx: Tx, table: 'attempt' | 'record', columns: string): Promise<string[]> {
  const { rows } = await tx.query<{ at: Date; id: string }>(
    `insert into ${table} (${columns}) select ${columns} from staged_${table} order by at, id on conflict do nothing returning at, id`,
  );
  return rows.map((row) => `${table}/${row.at.getTime()}/${row.id}`);
}

function rowKey(record: RecordToStore): string {
  return `${record.attempt === null ? 'record' : 'attempt'}/${record.at}/${record.id}`;
}

/** Records that repeat an earlier one of the same group. */
function repeatedWithin(records: readonly RecordToStore[]): Set<RecordToStore> {
  const repeated = new Set<RecordToStore>();
  if (new Set(records.map(({ id }) => id)).size === records.length) return repeated;
  const seen = new Set<string>();
  for (const record of records) {
    const key = rowKey(record);
    if (seen.has(key)) repeated.add(record);
    else seen.add(key);
  }
  return repeated;
}

/** Unique violation, deadlock. */
const COLLISIONS: ReadonlySet<unknown> = new Set(['23505', '40P01']);
/** No partition for a row; Postgres calls it a violated check. */
const NO_PARTITION = '23514';

function codeOf(cause: unknown): unknown {
  return cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
}
