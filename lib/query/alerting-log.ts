import type { Sql } from '@/db/connect';
import { encodePageCursor, type PageCursor } from '@/lib/query/page-cursor';

export const DELIVERY_STATES = ['pending', 'delivered', 'dead', 'superseded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliveryItem {
  readonly id: string;
  readonly channel: string;
  readonly rule: string;
  readonly kind: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created_at: string;
  readonly next_at: string | null;
  readonly finished_at: string | null;
  readonly dead_reason: string | null;
}

export interface AttemptLogItem {
  readonly number: number;
  readonly at: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly latency_ms: number;
  readonly error: string | null;
  readonly response_head: string | null;
}

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
    select ${deliveryColumns(sql)} from alert_delivery
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
export async function queryDelivery(sql: Sql, id: string): Promise<(DeliveryItem & { body: string; log: AttemptLogItem[] }) | null> {
  const [row] = await sql<
    (DeliveryRow & { body: string })[]
  >`select ${deliveryColumns(sql)}, body from alert_delivery where id = ${id}::uuid`;
  if (row === undefined) return null;
  const log = await sql<LogRow[]>`
    select number, at, outcome, status, latency_ms, error, response_head from alert_attempt where delivery_id = ${id}::uuid order by number`;
  return { ...deliveryItem(row), body: row.body, log: log.map((entry) => ({ ...entry, at: entry.at.toISOString() })) };
}

const deliveryColumns = (sql: Sql) => sql`id, endpoint, rule, kind, state, attempts, created_at, next_at, finished_at, dead_reason`;

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
});

interface DeliveryRow {
  readonly id: string;
  readonly endpoint: string;
  readonly rule: string;
  readonly kind: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created_at: Date;
  readonly next_at: Date;
  readonly finished_at: Date | null;
  readonly dead_reason: string | null;
}
type LogRow = Omit<AttemptLogItem, 'at'> & { readonly at: Date };
