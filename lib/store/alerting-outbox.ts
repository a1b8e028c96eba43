import { randomUUID } from 'node:crypto';
import type { Sql, Transaction } from '@/db/connect';
import type { AttemptNote, ClaimedDelivery, NewDelivery, Outbox, Settlement } from '@/lib/delivery/outbox';

/** Messages that may wait for one endpoint; what comes beyond is kept as dead and can be sent again by hand. */
const PENDING_MAX = 1_000;

/**
 * Adds messages to the outbox, in their order, within the caller's transaction. An update or repeat that was
 * never tried gives way to the next message of its group.
 */
export async function addDeliveries(tx: Transaction, deliveries: readonly NewDelivery[], nowMs: number): Promise<void> {
  const now = new Date(nowMs);
  for (const { id, endpoint, rule, groupKey, episode, kind, body } of deliveries) {
    await tx`
      update alert_delivery set state = 'superseded', finished_at = ${now}
      where endpoint = ${endpoint} and rule = ${rule} and group_key = ${groupKey} and state = 'pending' and attempts = 0
        and kind in ('update', 'repeat')`;
    await tx`
      insert into alert_delivery (id, endpoint, rule, group_key, episode, kind, body, next_at, created_at, state, dead_reason, finished_at)
      select ${id}, ${endpoint}, ${rule}, ${groupKey}, ${BigInt(episode)}, ${kind}, ${body}, ${now}, ${now},
        case when full_up then 'dead' else 'pending' end, case when full_up then 'queue_full' end, case when full_up then ${now}::timestamptz end
      from (select count(*) >= ${PENDING_MAX} as full_up from alert_delivery where endpoint = ${endpoint} and state = 'pending') queue`;
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

  constructor(sql: Sql) {
    this.#sql = sql;
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
    const { result } = attempt;
    const number = claimed.attempts + 1;
    const { delivery, endpoint } = settlement;
    const at = new Date(attempt.atMs);
    const finished = delivery.state === 'pending' ? null : at;
    await this.#sql.begin(async (tx) => {
      await tx`
        insert into alert_attempt (delivery_id, number, at, outcome, status, latency_ms, error, response_head)
        values (${claimed.id}, ${number}, ${at}, ${result.outcome}, ${result.status}, ${attempt.latencyMs}, ${result.error}, ${result.responseHead})
        on conflict do nothing`;
      // A message that reached its receiver stays delivered, even when a process with an older lease says otherwise.
      await tx`
        update alert_delivery set state = ${delivery.state}, attempts = greatest(attempts, ${number}), finished_at = ${finished},
          next_at = ${delivery.state === 'pending' ? new Date(delivery.nextAtMs) : at}, dead_reason = ${delivery.state === 'dead' ? delivery.reason : null}
        where id = ${claimed.id} and state <> 'delivered'`;
      await tx`
        update alert_endpoint set lease = null, leased_until = null, failures = ${endpoint.failures},
          not_before = ${endpoint.notBeforeMs === null ? null : new Date(endpoint.notBeforeMs)},
          disabled_at = ${endpoint.isGone ? at : null}, disabled_reason = ${endpoint.isGone ? 'answered 410 Gone' : null}
        where name = ${claimed.endpoint} and lease = ${claimed.lease}`;
      if (!endpoint.isGone) return;
      await tx`
        update alert_delivery set state = 'dead', dead_reason = 'endpoint_gone', finished_at = ${at}
        where endpoint = ${claimed.endpoint} and state = 'pending'`;
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
