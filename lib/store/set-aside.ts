import pg from 'pg';
import { DeadlineError } from '@/db/deadline';
import type { Tx } from '@/db/transactions';
import { takeTurn } from '@/lib/store/fold-turn';

/** SQLSTATE classes of what is wrong with the data itself: data exception, violated constraint, exceeded limit. */
const OF_THE_DATA = /^(?:22|23|54)/;
/** A statement reached its time limit. */
const QUERY_CANCELED = '57014';
/** What reading or laying out such data throws. */
const UNREADABLE = [RangeError, SyntaxError, TypeError, URIError];

/** Increments that were set aside. */
export interface SetAside {
  /** Their number among what was left to be folded. */
  readonly seq: string;
  /** SQLSTATE, the name of the error, or `out_of_time`. */
  readonly cause: string;
}

/**
 * What makes increments impossible to fold, by its SQLSTATE or the name of the error; null where the failure says nothing about
 * them: the database is away, full or busy, or a statement is wrong.
 */
export function faultOfData(cause: unknown): string | null {
  if (cause instanceof pg.DatabaseError) return OF_THE_DATA.test(cause.code ?? '') ? (cause.code ?? null) : null;
  return cause instanceof Error && UNREADABLE.some((kind) => cause instanceof kind) ? cause.name : null;
}

/** Whether work took longer than a statement or its transaction may; waiting for a lock of others ends before and is not meant. */
export function isOutOfTime(cause: unknown): boolean {
  return cause instanceof DeadlineError || (cause instanceof pg.DatabaseError && cause.code === QUERY_CANCELED);
}

/**
 * Takes pending increments out of the way of the others and keeps them, from when they were first set aside on. In turn with folds:
 * one that began before could count them as well. False when somebody else took them.
 */
export async function setAside(tx: Tx, { seq, cause }: SetAside): Promise<boolean> {
  await takeTurn(tx);
  const { rowCount } = await tx.query({
    name: 'set aside',
    text: `with failed as (delete from pending_rollup where seq = $1 returning seq, increments, set_aside_at)
      insert into set_aside_rollup (seq, increments, code, at) select seq, increments, $2, coalesce(set_aside_at, now()) from failed`,
    values: [seq, cause],
  });
  return rowCount === 1;
}

/** Leaves what was set aside to be folded again: this process may be of a version that can. Keeps the instant, which retention goes by. */
export async function takeBackSetAside(tx: Tx): Promise<void> {
  await tx.query(`with back as (delete from set_aside_rollup returning seq, increments, at)
    insert into pending_rollup (increments, set_aside_at) select increments, at from back order by seq`);
}
