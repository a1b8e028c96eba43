import { setImmediate as nextTurn } from 'node:timers/promises';
import { RECORD_TYPE_CODES } from '@/db/codes';
import type { Transactions, Tx } from '@/db/transactions';
import { type Increments, noIncrements } from '@/lib/rollup/increments';
import { readIncrements } from '@/lib/rollup/increments-text';
import { mergeIncrements } from '@/lib/rollup/merge-increments';
import { foldBatches } from '@/lib/store/batch-numbers-fold';
import { foldDrops } from '@/lib/store/drops-fold';
import { appendLive } from '@/lib/store/live-log';
import { foldRejections } from '@/lib/store/rejections-fold';
import { addToRollups } from '@/lib/store/rollup-tables';
import type { UnfoldedIncrements } from '@/lib/store/unfolded-increments';

/** Pending increments of one fold; each is one transaction of the intake. */
const PENDING_PER_FOLD = 400;
/** After a while without any, increments are folded this soon: pages wait for it. */
const FOLD_SOON_MS = 150;
/** Folds begin this far apart, so that they have more to add up at once. */
const FOLD_SPACING_MS = 1_000;
/** Under load a fold may take this share of the time, within a bound: what it costs hardly grows with what it adds up. */
const FOLD_SHARE = 0.05;
const FOLD_SPACING_MS_MAX = 5_000;
/** Folds of one settling: bounds how long a reader waits under load. */
const FOLDS_MAX = 50;

/**
 * Folds pending increments into the rollup tables, a moment after the commit and in a transaction that also
 * removes them: no crash can make a rollup miss a row or count it twice, and the intake does not wait for it. The
 * same transaction appends to the live feed, so that whoever is told of something finds it.
 */
export class RollupFold {
  readonly #transactions: Transactions;
  readonly #unfolded: UnfoldedIncrements;
  readonly #onTrouble: (cause: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** No fold begins by itself before, by the clock of `performance`. */
  #earliest = Number.NEGATIVE_INFINITY;

  /** @param unfolded what this process stored itself. */
  constructor(transactions: Transactions, unfolded: UnfoldedIncrements, onTrouble: (cause: unknown) => void) {
    this.#transactions = transactions;
    this.#unfolded = unfolded;
    this.#onTrouble = onTrouble;
  }

  /** Notes that increments were committed; they are folded within about a second, sooner when there are few, within a few seconds under load. */
  schedule(): void {
    const waitMs = Math.max(FOLD_SOON_MS, this.#earliest - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.settle().catch(this.#onTrouble);
    }, waitMs);
  }

  /** Resolves when everything that was committed before the call is folded, as far as one settling goes. */
  settle(): Promise<void> {
    if (this.#running === null) {
      const began = performance.now();
      this.#running = this.#foldAll().finally(() => {
        this.#running = null;
        const restMs = (performance.now() - began) / FOLD_SHARE;
        this.#earliest = began + Math.min(Math.max(FOLD_SPACING_MS, restMs), FOLD_SPACING_MS_MAX);
      });
      return this.#running;
    }
    // A fold that runs may have looked already: only one that begins now is sure to see what was committed.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.settle();
      });
    return this.#next;
  }

  /** Folds what is left. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.settle();
  }

  async #foldAll(): Promise<void> {
    for (let folds = 0; folds < FOLDS_MAX; folds++) {
      const folded = await this.#transactions.run((tx) => foldPending(tx, this.#unfolded));
      if (folded < PENDING_PER_FOLD) return;
    }
  }
}

const ATTEMPT = RECORD_TYPE_CODES.resume_attempt;
/** Servers that one event names; with more, readers fetch what they show anyway. */
const SERVERS_MAX = 100;

async function tellOf(tx: Tx, { types, servers }: Increments): Promise<void> {
  const stored = [...types.values()].reduce((sum, { records }) => sum + records, 0);
  if (stored === 0) return;
  const { rows } = await tx.query<{ name: string }>({
    name: 'names of servers',
    text: `select name from server where id = any($1::int[]) order by name limit ${SERVERS_MAX}`,
    values: [[...servers.keys()]],
  });
  await appendLive(tx, { stored, attempts: types.get(ATTEMPT)?.records ?? 0, servers: rows.map(({ name }) => name) });
}

/** Any number that no other advisory lock of ours has. */
const FOLD_LOCK = 7_310_204_821;

/** The text of one's own is left out, but only if all of them are there: another process may have folded some. */
const TAKE_PENDING = `
  with taken as (select seq, batch from pending_rollup order by seq limit ${PENDING_PER_FOLD}),
    own as (select count(*) = cardinality($1::bigint[]) as is_whole from taken where batch = any($1::bigint[]))
  delete from pending_rollup p using taken where p.seq = taken.seq
  returning case when p.batch = any($1::bigint[]) and (select is_whole from own) then null else p.increments end as increments`;

async function foldPending(tx: Tx, unfolded: UnfoldedIncrements): Promise<number> {
  // In turn, across processes: what makes a lead stale must not be folded before what brought the lead.
  await tx.query(`select pg_advisory_xact_lock(${FOLD_LOCK})`);
  // Not given back where the fold fails: what it holds is in the table.
  const own = unfolded.take();
  const { rows } = await tx.query<{ increments: string | null }>({ name: 'take pending', text: TAKE_PENDING, values: [own.batches] });
  // All of one's own were there, or none was taken from memory.
  const isOwnTaken = rows.some(({ increments }) => increments === null);
  const total = isOwnTaken ? own.total : noIncrements();
  for (const { increments } of rows) {
    if (increments === null) continue;
    mergeIncrements(total, readIncrements(increments));
    // A hundred of them take a tenth of a second, in which nobody would be answered.
    await nextTurn();
  }
  // Before the nodes' newest instants are moved on: a drop lies after what was known of its node.
  await foldDrops(tx, total.drops);
  await addToRollups(tx, total);
  await foldBatches(tx, total.batches);
  await foldRejections(tx, total.rejected);
  await tellOf(tx, total);
  return rows.length;
}
