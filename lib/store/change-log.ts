import type { Sql } from '@/db/connect';
import type { Tx } from '@/db/transactions';

/** One change of the installation. `before` and `after` are plain values without secrets; null where there was none. */
export interface Change {
  readonly atMs: number;
  /** Name of the key or member that asked for it, `local` without authentication, `system` for a job of the product. */
  readonly actor: string;
  /** What was done, as `noun.verb`: `key.created`, `proxy.mode_switched`. */
  readonly action: string;
  /** Id or name of what it was done to. */
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

const TEXT =
  'insert into change_log (at, actor, action, subject, before, after) values (to_timestamp($1::float8 / 1000), $2, $3, $4, $5, $6)';

/** Appends a change in the transaction that makes it, so that neither is without the other. */
export async function logChange(tx: Tx, change: Change): Promise<void> {
  await tx.query({ name: 'log change', text: TEXT, values: valuesOf(change) });
}

/** Appends a change that no transaction of ours makes, such as one kept in memory. */
export async function logChangeAlone(sql: Sql, change: Change): Promise<void> {
  await sql.unsafe(TEXT, valuesOf(change));
}

function valuesOf({ atMs, actor, action, subject, before, after }: Change): (string | number | null)[] {
  return [atMs, actor, action, subject, textOf(before), textOf(after)];
}

const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));
