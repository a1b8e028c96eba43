import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true });

/** Rules made or overridden through the API; presets and those of the configuration file are not stored. */
export const alertRule = pgTable('alert_rule', {
  name: text().primaryKey(),
  spec: text().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/** Channels made through the API. Address and secrets are sealed with a key of the installation's secret. */
export const alertChannel = pgTable('alert_channel', {
  name: text().primaryKey(),
  type: text().notNull(),
  sealed: text().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/** What a rule's machine remembers: its alerts and what was told of them. Written by the one evaluator that holds the lock. */
export const alertState = pgTable('alert_state', {
  rule: text().primaryKey(),
  state: text().notNull(),
  evaluatedAt: instant('evaluated_at').notNull(),
});

export const alertSilence = pgTable(
  'alert_silence',
  {
    id: uuid().primaryKey(),
    matchers: text().notNull(),
    startsAt: instant('starts_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    comment: text().notNull(),
    author: text().notNull(),
  },
  (table) => [index('alert_silence_ends_at').on(table.endsAt)],
);

/** What happened to alerts, newest last: opened, closed, acknowledged. */
export const alertEvent = pgTable(
  'alert_event',
  {
    seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant('at').notNull(),
    type: text().notNull(),
    rule: text().notNull(),
    groupKey: text('group_key').notNull(),
    labels: text().notNull(),
    detail: text(),
  },
  (table) => [index('alert_event_at').on(table.at)],
);

/** Where a channel's deliveries stand as a whole: its lease, its pause and its health. One row per channel. */
export const alertEndpoint = pgTable('alert_endpoint', {
  name: text().primaryKey(),
  /** Fingerprint of the address; another address starts with a clean record. */
  target: text().notNull(),
  lease: uuid(),
  leasedUntil: instant('leased_until'),
  /** Nothing is sent before: the pause after a failure of the endpoint as a whole. */
  notBefore: instant('not_before'),
  /** Failures in a row of the endpoint as a whole. */
  failures: integer().notNull().default(0),
  disabledAt: instant('disabled_at'),
  disabledReason: text('disabled_reason'),
});

/** The outbox and its log: a row is written in the transaction that decided to tell, and sent afterwards. */
export const alertDelivery = pgTable(
  'alert_delivery',
  {
    /** The `webhook-id` of every attempt. */
    id: uuid().primaryKey(),
    /** Order within an endpoint. */
    seq: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    endpoint: text().notNull(),
    rule: text().notNull(),
    groupKey: text('group_key').notNull(),
    /** The episode that it tells of: epoch milliseconds of its opening. */
    episode: bigint({ mode: 'bigint' }).notNull(),
    kind: text().notNull(),
    body: text().notNull(),
    /** `pending`, `delivered`, `dead` or `superseded`. */
    state: text().notNull(),
    attempts: integer().notNull().default(0),
    nextAt: instant('next_at').notNull(),
    createdAt: instant('created_at').notNull(),
    finishedAt: instant('finished_at'),
    /** Why it is dead; null otherwise. */
    deadReason: text('dead_reason'),
  },
  (table) => [
    index('alert_delivery_pending').on(table.endpoint, table.seq).where(sql`state = 'pending'`),
    index('alert_delivery_episode').on(table.rule, table.groupKey, table.episode),
    index('alert_delivery_created').on(table.createdAt, table.id),
  ],
);

/** Every attempt to send a delivery, with what came back. */
export const alertAttempt = pgTable(
  'alert_attempt',
  {
    deliveryId: uuid('delivery_id')
      .notNull()
      .references(() => alertDelivery.id, { onDelete: 'cascade' }),
    number: integer().notNull(),
    at: instant('at').notNull(),
    outcome: text().notNull(),
    /** HTTP or SMTP status; null when none came. */
    status: integer(),
    latencyMs: integer('latency_ms').notNull(),
    error: text(),
    responseHead: text('response_head'),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
);

/** What other parts of the product raise for rules to count; kept as long as the log. */
export const alertSignal = pgTable(
  'alert_signal',
  {
    seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant('at').notNull(),
    code: text().notNull(),
    server: text().notNull(),
    reason: text().notNull(),
    detail: text().notNull(),
  },
  (table) => [index('alert_signal_code_at').on(table.code, table.at)],
);
