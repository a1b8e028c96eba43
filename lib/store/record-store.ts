import type { Sql } from '@/db/connect';
import { within } from '@/db/deadline';
import type { Transactions, Tx } from '@/db/transactions';
import type { Increments } from '@/lib/rollup/increments';
import { BinaryRows } from '@/lib/store/binary-rows';
import { type Copy, copyInto } from '@/lib/store/copy-into';
import { Dictionary } from '@/lib/store/dictionary';
import { type KnownServers, knownOf, knownServers } from '@/lib/store/known-servers';
import { type StoredGroup as Group, incrementsOf, type NamedRecord, storedNote } from '@/lib/store/note-stored';
import { Partitions } from '@/lib/store/partitions';
import { evidenceNote } from '@/lib/store/pending-evidence';
import { placeOf } from '@/lib/store/place';
import type { RecordToStore, SentBatch, StoreOutcome, StoreRefusal } from '@/lib/store/record-to-store';
import { ATTEMPT_COLUMNS, RECORD_COLUMNS, writeAttempt, writeRecord } from '@/lib/store/rows';
import { type KnownServer, ServerDictionary } from '@/lib/store/server-dictionary';
import { type Turn, Turns } from '@/lib/store/turns';
import { dateUndated } from '@/lib/store/undated';
import type { UnfoldedIncrements } from '@/lib/store/unfolded-increments';

/** Time for a group, from its first statement to the answer to its commit; senders wait for as long. */
const GROUP_MS_MAX = 30_000;

/** Stores groups of records, each group in one transaction. */
export class RecordStore {
  readonly #sql: Sql;
  readonly #transactions: Transactions;
  readonly #partitions: Partitions;
  readonly #servers: ServerDictionary;
  readonly #nodes: Dictionary;
  readonly #clients: Dictionary;
  readonly #turns = new Turns();
  readonly #unfolded: UnfoldedIncrements;

  /** @param unfolded is told what each committed transaction left for the rollups. */
  constructor(sql: Sql, transactions: Transactions, unfolded: UnfoldedIncrements) {
    this.#sql = sql;
    this.#transactions = transactions;
    this.#unfolded = unfolded;
    this.#partitions = new Partitions(sql);
    this.#servers = new ServerDictionary(sql);
    this.#nodes = new Dictionary(sql, 'node');
    this.#clients = new Dictionary(sql, 'client');
  }

  /** Asks anew which project each server belongs to; called when one was moved. */
  forgetServers(): void {
    this.#servers.forget();
  }

  /** Makes day partitions for today and the days ahead; called at start and daily. */
  async prepareDays(now: number): Promise<void> {
    this.#partitions.forget();
    await this.#partitions.ensure([now - 86_400_000, now, now + 86_400_000, now + 2 * 86_400_000]);
  }

  /**
   * Stores the records; when it returns they are committed, each once. Records that were stored before are named in
   * the outcome, and so are those that are not: of servers that their sender may not report for, and of days that were dropped. Numbered
   * batches, and what is rejected, are noted in the same transaction. Groups that are stored side by side get their
   * places in the order of the calls. Throws when nothing of the group was stored, or when that cannot be known.
   */
  async store(records: readonly RecordToStore[], batches: readonly SentBatch[] = []): Promise<StoreOutcome> {
    if (records.length === 0 && batches.length === 0) return { duplicates: new Set(), refused: new Map() };
    const turn = this.#turns.take();
    const late = new AbortController();
    try {
      return await within(GROUP_MS_MAX, this.#store(records, batches, turn, late.signal), () => late.abort());
    } finally {
      turn.pass();
    }
  }

  async #store(given: readonly RecordToStore[], sent: readonly SentBatch[], turn: Turn, late: AbortSignal): Promise<StoreOutcome> {
    const known = await this.#servers.serversOf(namedIn(given, sent));
    const refused = foreignAmong(given, known);
    const records = without(given, refused);
    await dateUndated(this.#sql, records);
    await this.#refuseExpired(records, refused);
    // Of what is refused nothing is kept but that it is missing.
    const storeRest = () => {
      const batches = sent
        .map((batch) => withRefused(batch, refused))
        .filter(({ origin, rejected }) => origin !== null || rejected.length > 0);
      return this.#storeTaken(without(records, refused), batches, knownServers(known), { turn, late });
    };
    const duplicates = await storeRest().catch(async (cause: unknown) => {
      // Another process dropped a day that we thought was there.
      if (codeOf(cause) !== NO_PARTITION) throw cause;
      this.#partitions.forget();
      await this.#refuseExpired(records, refused);
      return storeRest();
    });
    return { duplicates, refused };
  }

  /** Names those of days that were dropped, and makes sure that the others have a partition. */
  async #refuseExpired(records: readonly RecordToStore[], refused: Map<RecordToStore, StoreRefusal>): Promise<void> {
    const droppedBefore = await this.#partitions.ensure(instantsOf(records));
    for (const record of records) if (record.at < droppedBefore) refused.set(record, 'expired');
  }

  /** Answers with those that were stored before. */
  async #storeTaken(
    records: readonly RecordToStore[],
    batches: readonly SentBatch[],
    servers: KnownServers,
    { turn, late }: { readonly turn: Turn; readonly late: AbortSignal },
  ): Promise<Set<RecordToStore>> {
    const duplicates = repeatedWithin(records);
    if (records.length === 0 && batches.length === 0) return duplicates;
    const fresh = without(records, duplicates);
    const group = { records: await this.#named(fresh, servers), batches, servers };
    // Its senders were told to come again.
    late.throwIfAborted();
    const stored = await this.#transactions.runSelf(async (tx) => this.#storeGroup(tx, await beginNumber(tx, turn), group), GROUP_MS_MAX);
    if (stored !== null) for (const record of fresh) if (!stored.has(rowKey(record))) duplicates.add(record);
    return duplicates;
  }

  /**
   * Answers with the keys of what was stored, null when that is everything. A collision is mended within the
   * transaction, which so keeps its number: another one would come after records that arrived later.
   */
  async #storeGroup(tx: Tx, number: number, group: Group): Promise<Set<string> | null> {
    for (let collisions = 0; ; collisions++) {
      try {
        if (collisions > 0) return await this.#storeMissing(tx, number, group);
        await this.#storeNew(tx, number, group);
        return null;
      } catch (cause) {
        if (!COLLISIONS.has(codeOf(cause)) || collisions === COLLISIONS_MAX) throw cause;
        await tx.query('rollback to savepoint untouched');
      }
    }
  }

  /**
   * The common case: no row is there yet. Straight into the tables, all or nothing, in one message per table: whatever
   * answer is waited for in between, the whole group waits for.
   */
  async #storeNew(tx: Tx, number: number, group: Group): Promise<void> {
    const copies = copiesOf(number, group);
    const increments = incrementsOf(number, group);
    const notes = notesOf(number, group, increments);
    if (copies.length === 0) await tx.query(`${notes} commit`);
    for (const [index, copy] of copies.entries()) {
      await copyInto(tx, copy, { before: index === 0 ? notes : '', after: index === copies.length - 1 ? 'commit' : '' });
    }
    this.#unfolded.add(number, increments);
  }

  /**
   * Some rows are there already: stages the group and inserts what is missing, in key order against deadlocks. Another process may be
   * storing the same rows in an order of its own, and then either may be the one that Postgres picks.
   */
  async #storeMissing(tx: Tx, number: number, group: Group): Promise<Set<string>> {
    await tx.query('create temp table staged_attempt (like attempt including defaults) on commit drop');
    await tx.query('create temp table staged_record (like record including defaults) on commit drop');
    await copyInto(tx, { table: 'staged_attempt', columns: ATTEMPT_COLUMNS, rows: { binary: attemptRows(number, group) } });
    const attempts = await insertMissing(tx, 'attempt', ATTEMPT_COLUMNS);
    await copyInto(tx, { table: 'staged_record', columns: RECORD_COLUMNS, rows: { binary: recordRows(number, group) } });
    const others = await insertMissing(tx, 'record', RECORD_COLUMNS);
    const stored = new Set([...attempts, ...others]);
    const fresh = { ...group, records: group.records.filter(({ record }) => stored.has(rowKey(record))) };
    const isEmpty = fresh.records.length === 0 && fresh.batches.length === 0;
    await tx.query(isEmpty ? 'commit' : `${notesOf(number, fresh, incrementsOf(number, fresh))} commit`);
    return stored;
  }

  async #named(records: readonly RecordToStore[], servers: KnownServers): Promise<NamedRecord[]> {
    const nodes = new Set<string>();
    const clients = new Set<string>();
    for (const { node, attempt } of records) {
      if (node !== null) nodes.add(node);
      if (attempt !== null && attempt.client !== null) clients.add(attempt.client);
    }
    const [nodeNumbers, clientNumbers] = await Promise.all([this.#nodes.numbersOf(nodes), this.#clients.numbersOf(clients)]);
    return records.map((record) => {
      const { node, attempt } = record;
      const client = attempt === null || attempt.client === null ? null : knownOf(clientNumbers, attempt.client);
      return { record, names: { server: servers.of(record), node: node === null ? null : knownOf(nodeNumbers, node), client } };
    });
  }
}

/** Everything that goes along with the rows of a group, as statements. */
function notesOf(number: number, { records }: Group, increments: Increments): string {
  return storedNote(number, increments) + evidenceNote(records.map(({ record }) => record));
}

/** Records of servers that belong to another project than their sender. */
function foreignAmong(records: readonly RecordToStore[], servers: ReadonlyMap<string, KnownServer>): Map<RecordToStore, StoreRefusal> {
  const foreign = new Map<RecordToStore, StoreRefusal>();
  let last: RecordToStore | null = null;
  let isForeign = false;
  for (const record of records) {
    const { server, project } = record;
    // Neighbours are of one server mostly.
    if (last === null || last.server !== server || last.project !== project) {
      last = record;
      isForeign = project !== null && knownOf(servers, server).project !== project;
    }
    if (isForeign) foreign.set(record, 'foreign');
  }
  return foreign;
}

/** Everything that names a server: the records, and what was rejected. */
function namedIn(records: readonly RecordToStore[], sent: readonly SentBatch[]): readonly Pick<RecordToStore, 'server' | 'project'>[] {
  const rejected = sent.flatMap(({ project, rejected: some }) =>
    some.flatMap(({ server }) => (server === null ? [] : [{ server, project }])),
  );
  return rejected.length === 0 ? records : [...records, ...rejected];
}

/** The batch without those of its records that are refused, which are rejected. */
function withRefused(batch: SentBatch, refused: ReadonlyMap<RecordToStore, StoreRefusal>): SentBatch {
  if (refused.size === 0) return batch;
  const rejected = batch.records.flatMap((record) => {
    const why = refused.get(record);
    if (why === undefined) return [];
    return { server: why === 'foreign' ? null : record.server, id: record.hasOwnId ? record.id : null, at: record.at };
  });
  return { ...batch, records: without(batch.records, refused), rejected: [...batch.rejected, ...rejected] };
}

function without(records: readonly RecordToStore[], some: Pick<ReadonlySet<RecordToStore>, 'has' | 'size'>): readonly RecordToStore[] {
  return some.size === 0 ? records : records.filter((record) => !some.has(record));
}

function copiesOf(number: number, group: Group): Copy[] {
  const { records } = group;
  const attempts = records.reduce((count, { record }) => (record.attempt === null ? count : count + 1), 0);
  const copies: Copy[] = [];
  if (attempts > 0) copies.push({ table: 'attempt', columns: ATTEMPT_COLUMNS, rows: { binary: attemptRows(number, group) } });
  if (attempts < records.length) copies.push({ table: 'record', columns: RECORD_COLUMNS, rows: { binary: recordRows(number, group) } });
  return copies;
}

function* attemptRows(number: number, { records }: Group): Generator<Buffer> {
  const rows = new BinaryRows();
  for (const [index, { record, names }] of records.entries()) {
    if (record.attempt !== null) writeAttempt(rows, record, record.attempt, names, placeOf(number, index));
    if (rows.isFull) yield* rows.takeFull();
  }
  yield* rows.end();
}

function* recordRows(number: number, { records }: Group): Generator<Buffer> {
  const rows = new BinaryRows();
  for (const [index, { record, names }] of records.entries()) {
    if (record.attempt === null) writeRecord(rows, record, names, placeOf(number, index));
    if (rows.isFull) yield* rows.takeFull();
  }
  yield* rows.end();
}

function* instantsOf(records: readonly RecordToStore[]): Generator<number> {
  for (const record of records) yield record.at;
}

/**
 * Begins the transaction and numbers it, when its turn has come. The transaction's own identity is taken first:
 * whoever sees a number can then tell from running transactions alone whether a lower one may still appear.
 */
async function beginNumber(tx: Tx, turn: Turn): Promise<number> {
  await turn.mine;
  // Of several statements in one message the driver answers with a list, which its types do not know.
  const results: unknown = await tx.query(
    "begin; select pg_current_xact_id()::text as identity, nextval('intake_batch')::text as number; savepoint untouched",
  );
  turn.pass();
  return numberFrom(results);
}

function numberFrom(results: unknown): number {
  const [, numbered] = results as readonly { readonly rows: readonly { readonly number?: string }[] }[];
  return Number(numbered?.rows[0]?.number);
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

/** One process after the other gets past those that it collides with; whoever never does is told to come again. */
const COLLISIONS_MAX = 8;
/** Unique violation, deadlock. */
const COLLISIONS: ReadonlySet<unknown> = new Set(['23505', '40P01']);
/** No partition for a row; Postgres calls it a violated check. */
const NO_PARTITION = '23514';

function codeOf(cause: unknown): unknown {
  return cause instanceof Error ? (cause as { code?: unknown }).code : undefined;
}
