import type { Sql } from '@/db/connect';
import type { DeliveryAttempt, DeliveryDetail, DeliveryItem, DeliveryState } from '@/lib/alerting/answer-schema';
import { encodePageCursor, type PageCursor } from '@/lib/query/page-cursor';

export interface DeliveryFilter {
  readonly channel: string | null;
  readonly rule: string | null;
  readonly states: readonly DeliveryState[] | null;
}

/** A page of the delivery log, newest first. */
export async function queryDeliveries(
  sql: Sql,
  filter: DeliveryFilter,
  limit: number,
  after: PageCursor | null,
): Promise<{ items: DeliveryItem[]; next: string | null }> {
  const rows = await sql<DeliveryRow[]>`
    select ${deliveryColumns(sql)} from alert_delivery d ${lastAttempt(sql)}
    where ${filter.channel === null ? sql`true` : sql`endpoint = ${filter.channel}`}
      and ${filter.rule === null ? sql`true` : sql`rule = ${filter.rule}`}
      and ${filter.states === null ? sql`true` : sql`state in ${sql([...filter.states])}`}
      and ${after === null ? sql`true` : sql`(created_at, id) < (${new Date(after.atMs)}, ${after.id}::uuid)`}
    order by created_at desc, id desc
    limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? encodePageCursor({ atMs: last.created_at.getTime(), id: last.id }) : null;
  return { items: page.map(deliveryItem), next };
}

/** One delivery with its body and every attempt; null when there is none of that id. */
export async function queryDelivery(sql: Sql, id: string): Promise<DeliveryDetail | null> {
  const [row] = await sql<
    (DeliveryRow & { body: string })[]
  >`select ${deliveryColumns(sql)}, body from alert_delivery d ${lastAttempt(sql)} where id = ${id}::uuid`;
  if (row === undefined) return null;
  const log = await sql<LogRow[]>`
    select number, at, outcome, status, latency_ms, error, response_head from alert_attempt where delivery_id = ${id}::uuid order by number`;
  return { ...deliveryItem(row), body: row.body, log: log.map((entry) => ({ ...entry, at: entry.at.toISOString() })) };
}

const deliveryColumns = (sql: Sql) =>
  sql`id, endpoint, rule, kind, state, attempts, created_at, next_at, finished_at, dead_reason, status, latency_ms, error`;

const lastAttempt = (sql: Sql) => sql`left join lateral (
  select status, latency_ms, error from alert_attempt where delivery_id = d.id order by number desc limit 1) newest on true`;

const deliveryItem = (row: DeliveryRow): DeliveryItem => ({
  id: row.id,
  channel: row.endpoint,
  rule: row.rule,
  kind: row.kind,
  state: row.state,
  attempts: row.attempts,
  created_at: row.created_at.toISOString(),
  next_at: row.state === 'pending' ? row.next_at.toISOString() : null,
  finished_at: row.finished_at?.toISOString() ?? null,
  dead_reason: row.dead_reason,
  status: row.status,
  latency_ms: row.latency_ms,
  error: row.error,
});

interface DeliveryRow
  extends Pick<DeliveryItem, 'id' | 'rule' | 'kind' | 'state' | 'attempts' | 'dead_reason' | 'status' | 'latency_ms' | 'error'> {
  readonly endpoint: string;
  readonly created_at: Date;
  readonly next_at: Date;
  readonly finished_at: Date | null;
}
type LogRow = Omit<DeliveryAttempt, 'at'> & { readonly at: Date };
