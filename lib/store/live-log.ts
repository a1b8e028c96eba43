import { randomUUID } from 'node:crypto';
import type { Queryable, Tx } from '@/db/transactions';

/** Told on this channel, with the number of the newest event. */
export const LIVE_CHANNEL = 'tidemark_live';
/** Events that are kept for those who come back. */
export const LIVE_RETAINED = 2_000;
/** Held, shared, by every process that follows the feed: who finds nobody holding it is alone. */
const ALIVE_LOCK = 7_310_204_819;
/** Old events are removed once in so many. */
const TRIM_EVERY = 64n;

/** What one event of the live feed tells: counts and names, never contents. */
export interface LiveNote {
  readonly stored: number;
  readonly attempts: number;
  readonly servers: readonly string[];
}

/**
 * Appends an event to the live feed, in the transaction that made what it tells visible, and tells every process.
 * Numbers have no holes: their one counter stays locked until the transaction ends, so nothing slow may follow. An event of an
 * earlier generation that was committed while a new one began gives way to the one of its number.
 */
export async function appendLive(tx: Tx, note: LiveNote): Promise<void> {
  const { rows } = await tx.query<{ seq: string }>({
    name: 'append live event',
    text: `with h as (update live_head set head = head + 1 where id = 1 returning head),
        e as (insert into live_event (seq, at, note) select head, clock_timestamp(), $1 from h
          on conflict (seq) do update set at = excluded.at, note = excluded.note returning seq)
      select seq, pg_notify('${LIVE_CHANNEL}', seq::text) from e`,
    values: [JSON.stringify(note)],
  });
  const seq = BigInt(rows[0]?.seq ?? 0);
  if (seq % TRIM_EVERY === 0n) await tx.query('delete from live_event where seq <= $1', [String(seq - BigInt(LIVE_RETAINED))]);
}

/**
 * Begins a new generation if no other process follows the feed: then the database may be a copy that was restored
 * meanwhile, whose numbers were given away before. The calling session holds its place until it ends.
 *
 * @param client a connection that stays open for as long as the process follows the feed
 * @param knownHead what this process followed to before; null at its start. A head that lies behind it also says that the log was rebuilt
 */
export async function joinLiveFeed(client: Queryable, knownHead: { generation: string; head: bigint } | null): Promise<void> {
  await client.query('insert into live_head (id, generation, head) values (1, $1, 0) on conflict do nothing', [randomUUID()]);
  const { rows } = await client.query<{ alone: boolean }>(`select pg_try_advisory_lock(${ALIVE_LOCK}) as alone`);
  const isAlone = rows[0]?.alone === true;
  try {
    if (isAlone && knownHead === null) await beginGeneration(client, null);
    else if (knownHead !== null) await beginGeneration(client, knownHead);
    await client.query(`select pg_advisory_lock_shared(${ALIVE_LOCK})`);
  } finally {
    if (isAlone) await client.query(`select pg_advisory_unlock(${ALIVE_LOCK})`);
  }
}

/**
 * In one statement: two processes that find the same log rebuilt begin one generation, not two, and nothing is
 * appended between the two halves.
 */
async function beginGeneration(client: Queryable, behind: { generation: string; head: bigint } | null): Promise<void> {
  const condition = behind === null ? 'true' : 'generation = $2 and head < $3';
  const values = behind === null ? [] : [behind.generation, String(behind.head)];
  await client.query(
    `with begun as (update live_head set generation = $1, head = 0 where id = 1 and ${condition} returning id)
     delete from live_event where exists (select from begun)`,
    [randomUUID(), ...values],
  );
}
