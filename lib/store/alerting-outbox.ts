import { randomUUID } from 'node:crypto';
import type { Sql } from '@/db/connect';
import type { Transactions, Tx } from '@/db/transactions';
import type { AttemptNote, ClaimedDelivery, NewDelivery, Outbox, Settlement } from '@/lib/delivery/outbox';

/** Messages that may wait for one endpoint; what comes beyond is kept as dead and can be sent again by hand. */
const PENDING_MAX = 1_000;

/**
 * Adds messages to the outbox, in their order, within the caller's transaction. An update or repeat that was
 * never tried gives way to the next message of its group.
 */
export async function addDeliveries(tx: Tx, deliveries: readonly NewDelivery[], nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  for (const { id, endpoint, rule, groupKey, episode, kind, body } of deliveries) {
    await tx.query(
      `update alert_delivery set state = 'superseded', finished_at = $4
       where endpoint = $1 and rule = $2 and group_key = $3 and state = 'pending' and attempts = 0 and kind in ('update', 'repeat')`,
      [endpoint, rule, groupKey, now],
    );
    await tx.query(
      `insert into alert_delivery (id, endpoint, rule, group_key, episode, kind, body, next_at, created_at, state, dead_reason, finished_at)
       select $1, $2, $3, $4, $5, $6, $7, $8::timestamptz, $8, case when is_full then 'dead' else 'pending' end,
         case when is_full then 'queue_full' end, case when is_full then $8::timestamptz end
       from (select count(*) >= ${PENDING_MAX} as is_full from alert_delivery where endpoint = $2 and state = 'pending') queue`,
      [id, endpoint, rule, groupKey, String(episode), kind, body, now],
    );
  }
}

/** Makes sure that every channel has an endpoint; one whose address changed starts with a clean record. */
export async function ensureEndpoints(sql: Sql, targets: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, target] of targets) {
    await sql`
      insert into alert_endpoint (name, target) values (${name}, ${target})
      on conflict (name) do update set target = excluded.target, failures = 0, not_before = null, disabled_at = null, disabled_reason = null
      where alert_endpoint.target <> excluded.target`;
  }
}

/** The outbox in Postgres: a row lock decides who leases an endpoint, so any number of processes can work on it. */
export class PostgresOutbox implements Outbox {
  readonly #sql: Sql;
  readonly #transactions: Transactions;

  constructor(sql: Sql, transactions: Transactions) {
    this.#sql = sql;
    this.#transactions = transactions;
  }

  async claim(endpoints: readonly string[], limit: number, nowMs: number, leaseMs: number): Promise<ClaimedDelivery[]> {
    if (endpoints.length === 0) return [];
    const now = new Date(nowMs);
    const lease = randomUUID();
    const rows = await this.#sql<ClaimRow[]>`
      with free as (
        select e.name from alert_endpoint e
        where e.name in ${this.#sql([...endpoints])} and e.disabled_at is null
          and (e.leased_until is null or e.leased_until <= ${now}) and (e.not_before is null or e.not_before <= ${now})
          and exists (select 1 from alert_delivery d where d.endpoint = e.name and d.state = 'pending' and d.next_at <= ${now} and ${this.#isFirstOfGroup()})
        order by e.leased_until nulls first, e.name
        limit ${limit}
        for update skip locked
      ), leased as (
        update alert_endpoint e set lease = ${lease}, leased_until = ${new Date(nowMs + leaseMs)}
        from free where e.name = free.name
        returning e.name, e.failures
      )
      select d.id, d.endpoint, d.body, d.attempts, d.created_at, leased.failures
      from leased cross join lateral (
        select * from alert_delivery d
        where d.endpoint = leased.name and d.state = 'pending' and d.next_at <= ${now} and ${this.#isFirstOfGroup()}
        order by d.seq limit 1
      ) d`;
    return rows.map((row) => ({
      id: row.id,
      endpoint: row.endpoint,
      lease,
      body: row.body,
      attempts: row.attempts,
      endpointFailures: row.failures,
      createdAtMs: row.created_at.getTime(),
    }));
  }

  /** Within a group nothing overtakes: a resolve never arrives before the opening it ends. */
  #isFirstOfGroup() {
    return this.#sql`not exists (
      select 1 from alert_delivery o where o.endpoint = d.endpoint and o.state = 'pending' and o.seq < d.seq
        and o.rule = d.rule and o.group_key = d.group_key)`;
  }

  async settle(claimed: ClaimedDelivery, attempt: AttemptNote, settlement: Settlement): Promise<void> {
    const number = claimed.attempts + 1;
    await this.#transactions.run(async (tx) => {
      await noteAttempt(tx, claimed.id, number, attempt);
      await settleDelivery(tx, claimed.id, number, attempt.atMs, settlement.delivery);
      await settleEndpoint(tx, claimed, attempt.atMs, settlement.endpoint);
    });
  }

  async expire(nowMs: number, maxAgeMs: number): Promise<number> {
    const rows = await this.#sql`
      update alert_delivery set state = 'dead', dead_reason = 'too_old', finished_at = ${new Date(nowMs)}
      where state = 'pending' and created_at < ${new Date(nowMs - maxAgeMs)}
      returning id`;
    return rows.length;
  }
}

async function noteAttempt(tx: Tx, id: string, number: number, { atMs, latencyMs, result }: AttemptNote): Promise<void> {
  await tx.query(
    `insert into alert_attempt (delivery_id, number, at, outcome, status, latency_ms, error, response_head)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [id, number, new Date(atMs), result.outcome, result.status, latencyMs, result.error, result.responseHead],
  );
}

/** A message that reached its receiver stays delivered, even when a process with an older lease says otherwise. */
async function settleDelivery(tx: Tx, id: string, number: number, atMs: number, delivery: Settlement['delivery']): Promise<void> {
  const at = new Date(atMs);
  await tx.query(
    `update alert_delivery set state = $2, attempts = greatest(attempts, $3), finished_at = $4, next_at = $5, dead_reason = $6
     where id = $1 and state <> 'delivered'`,
    [
      id,
      delivery.state,
      number,
      delivery.state === 'pending' ? null : at,
      delivery.state === 'pending' ? new Date(delivery.nextAtMs) : at,
      delivery.state === 'dead' ? delivery.reason : null,
    ],
  );
}

async function settleEndpoint(tx: Tx, { endpoint, lease }: ClaimedDelivery, atMs: number, after: Settlement['endpoint']): Promise<void> {
  const at = new Date(atMs);
  const notBefore = after.notBeforeMs === null ? null : new Date(after.notBeforeMs);
  await tx.query(
    `update alert_endpoint set lease = null, leased_until = null, failures = $3, not_before = $4, disabled_at = $5, disabled_reason = $6
     where name = $1 and lease = $2`,
    [endpoint, lease, after.failures, notBefore, after.isGone ? at : null, after.isGone ? 'answered 410 Gone' : null],
  );
  if (!after.isGone) return;
  await tx.query(
    `update alert_delivery set state = 'dead', dead_reason = 'endpoint_gone', finished_at = $2 where endpoint = $1 and state = 'pending'`,
    [endpoint, at],
  );
}

interface ClaimRow {
  readonly id: string;
  readonly endpoint: string;
  readonly body: string;
  readonly attempts: number;
  readonly failures: number;
  readonly created_at: Date;
}

/** Puts a delivery back in line by hand, under the same id; false when it is waiting already or unknown. */
export async function resendDelivery(sql: Sql, id: string, nowMs: number): Promise<boolean> {
  const now = new Date(nowMs);
  const rows = await sql`
    update alert_delivery set state = 'pending', next_at = ${now}, created_at = ${now}, finished_at = null, dead_reason = null
    where id = ${id}::uuid and state in ('dead', 'delivered', 'superseded') returning id`;
  return rows.length > 0;
}

/** Lets a channel that was disabled, or is paused, be tried again at once. */
export async function enableEndpoint(sql: Sql, name: string): Promise<boolean> {
  const rows = await sql`
    update alert_endpoint set disabled_at = null, disabled_reason = null, not_before = null, failures = 0 where name = ${name} returning name`;
  return rows.length > 0;
}
