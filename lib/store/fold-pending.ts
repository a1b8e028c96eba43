import { setImmediate as nextTurn } from 'node:timers/promises';
import { RECORD_TYPE_CODES } from '@/db/codes';
import type { Transactions, Tx } from '@/db/transactions';
import { type Increments, noIncrements } from '@/lib/rollup/increments';
import { readIncrements } from '@/lib/rollup/increments-text';
import { mergeIncrements } from '@/lib/rollup/merge-increments';
import { foldBatches } from '@/lib/store/batch-numbers-fold';
import { databaseTrouble } from '@/lib/store/database-trouble';
import { foldDrops } from '@/lib/store/drops-fold';
import { takeTurn } from '@/lib/store/fold-turn';
import type { FoldWidth } from '@/lib/store/fold-width';
import { appendLive } from '@/lib/store/live-log';
import { foldRejections } from '@/lib/store/rejections-fold';
import { addToRollups } from '@/lib/store/rollup-tables';
import { faultOfData, isOutOfTime, type SetAside, setAside } from '@/lib/store/set-aside';
import type { UnfoldedIncrements } from '@/lib/store/unfolded-increments';

/** The text of one's own is left out, but only if all of them are there: another process may have folded some. */
const TAKE_PENDING = `
  with taken as (select seq, batch from pending_rollup order by seq limit $2),
    own as (select count(*) = cardinality($1::bigint[]) as is_whole from taken where batch = any($1::bigint[]))
  delete from pending_rollup p using taken where p.seq = taken.seq
  returning p.seq, case when p.batch = any($1::bigint[]) and (select is_whole from own) then null else p.increments end as increments`;

/**
 * Folds the oldest pending increments, in a transaction that also removes them, and answers how many it went through. Increments
 * that no fold can add, or that alone run out of time, hold up no others: they are set aside, the former looked for by halves.
 *
 * @param width how many at a time; each is one transaction of the intake. Narrower after it throws for want of time
 * @throws whatever does not lie in the increments themselves; then all is left as it was, but for the halves that were folded
 */
export async function foldPending(
  transactions: Transactions,
  unfolded: UnfoldedIncrements,
  width: FoldWidth,
  onSetAside: (some: SetAside) => void,
): Promise<number> {
  const countMax = width.count;
  let taken: readonly string[] = [];
  try {
    const folded = await transactions.run((tx) => foldOldest(tx, unfolded, countMax, (seqs) => (taken = seqs)));
    width.folded(folded);
    return folded;
  } catch (cause) {
    // Where nothing can be written nothing new is stored either: if all was folded before, all is.
    if (databaseTrouble(cause) === 'database_read_only' && (await isAllFolded(transactions))) return 0;
    if (isOutOfTime(cause)) {
      width.ranOut(taken.length === 0 ? countMax : taken.length);
      const [seq] = taken;
      if (countMax > 1 || seq === undefined) throw cause;
      await keepAside(transactions, { seq, cause: 'out_of_time' }, onSetAside);
      return 1;
    }
    if (faultOfData(cause) === null) throw cause;
  }
  const { rows } = await transactions.run((tx) =>
    tx.query<{ seq: string }>('select seq from pending_rollup order by seq limit $1', [countMax]),
  );
  await foldByHalves(
    transactions,
    rows.map(({ seq }) => seq),
    onSetAside,
  ).catch((cause: unknown) => {
    if (isOutOfTime(cause)) width.ranOut(countMax);
    throw cause;
  });
  return rows.length;
}

async function isAllFolded(transactions: Transactions): Promise<boolean> {
  const { rows } = await transactions.run((tx) => tx.query('select from pending_rollup limit 1'));
  return rows.length === 0;
}

async function foldByHalves(transactions: Transactions, seqs: readonly string[], onSetAside: (some: SetAside) => void): Promise<void> {
  const [seq] = seqs;
  if (seq === undefined) return;
  try {
    await transactions.run((tx) => foldThese(tx, seqs));
  } catch (thrown) {
    const cause = faultOfData(thrown);
    if (cause === null) throw thrown;
    if (seqs.length === 1) {
      await keepAside(transactions, { seq, cause }, onSetAside);
      return;
    }
    const half = Math.floor(seqs.length / 2);
    await foldByHalves(transactions, seqs.slice(0, half), onSetAside);
    await foldByHalves(transactions, seqs.slice(half), onSetAside);
  }
}

async function keepAside(transactions: Transactions, some: SetAside, onSetAside: (some: SetAside) => void): Promise<void> {
  if (await transactions.run((tx) => setAside(tx, some))) onSetAside(some);
}

async function foldOldest(
  tx: Tx,
  unfolded: UnfoldedIncrements,
  countMax: number,
  onTaken: (seqs: readonly string[]) => void,
): Promise<number> {
  await takeTurn(tx);
  // Not given back where the fold fails: what it holds is in the table.
  const own = unfolded.take();
  const { rows } = await tx.query<{ seq: string; increments: string | null }>({
    name: 'take pending',
    text: TAKE_PENDING,
    values: [own.batches, countMax],
  });
  onTaken(rows.map(({ seq }) => seq));
  // All of one's own were there, or none was taken from memory.
  const isOwnTaken = rows.some(({ increments }) => increments === null);
  const texts = rows.flatMap(({ increments }) => (increments === null ? [] : [increments]));
  await addUp(tx, isOwnTaken ? own.total : noIncrements(), texts);
  return rows.length;
}

async function foldThese(tx: Tx, seqs: readonly string[]): Promise<void> {
  await takeTurn(tx);
  const { rows } = await tx.query<{ increments: string }>({
    name: 'take these pending',
    text: 'delete from pending_rollup where seq = any($1::bigint[]) returning increments',
    values: [seqs],
  });
  await addUp(
    tx,
    noIncrements(),
    rows.map(({ increments }) => increments),
  );
}

async function addUp(tx: Tx, total: Increments, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    mergeIncrements(total, readIncrements(text));
    // A hundred of them take a tenth of a second, in which nobody would be answered.
    await nextTurn();
  }
  // Before the nodes' newest instants are moved on: a drop lies after what was known of its node.
  await foldDrops(tx, total.drops);
  await addToRollups(tx, total);
  await foldBatches(tx, total.batches);
  await foldRejections(tx, total.rejected);
  await tellOf(tx, total);
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
