import { bigint, customType, integer, pgSequence, pgTable, primaryKey, timestamp } from 'drizzle-orm/pg-core';

const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** Numbers the transactions of the intake, in the order in which they began to write. */
export const intakeBatch = pgSequence('intake_batch', { cache: 1 });

/**
 * Stored and not audited yet: one row per transaction and server, written by that transaction. The auditor deletes
 * it in the transaction that saves its state, so nothing is skipped and nothing is audited twice.
 */
export const auditInbox = pgTable(
  'audit_inbox',
  {
    serverId: integer('server_id').notNull(),
    batch: bigint({ mode: 'bigint' }).notNull(),
    records: integer().notNull(),
    /** Bounds of the instants of its records, so that only their days are read. */
    minAt: timestamp('min_at', { withTimezone: true }).notNull(),
    maxAt: timestamp('max_at', { withTimezone: true }).notNull(),
    storedAt: timestamp('stored_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.serverId, table.batch] })],
);

/** Where the audit of a server stands. Whoever takes it over raises `epoch`: an auditor of an older epoch can write nothing more. */
export const auditCheckpoint = pgTable('audit_checkpoint', {
  serverId: integer('server_id').primaryKey(),
  epoch: bigint({ mode: 'bigint' }).notNull(),
  /** What the audit remembers, compressed; null at the beginning. */
  state: bytea(),
  savedAt: timestamp('saved_at', { withTimezone: true }).notNull(),
});
