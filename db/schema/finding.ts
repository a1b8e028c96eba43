import { bigint, boolean, index, integer, numeric, pgTable, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * What the audit of the stored records proved, once each: the id follows from server, code, session, stream,
 * connection and first record, so a finding that is proved again or grows meets its own row.
 */
export const finding = pgTable(
  'finding',
  {
    id: uuid().primaryKey(),
    /** Instant of the record that proves it. */
    at: timestamp({ withTimezone: true }).notNull(),
    /** When the audit first told of it. */
    knownAt: timestamp('known_at', { withTimezone: true }).notNull(),
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull(),
    serverId: integer('server_id').notNull(),
    sessionRef: uuid('session_ref'),
    code: smallint().notNull(),
    severity: smallint().notNull(),
    blame: smallint().notNull(),
    count: numeric().notNull(),
    /** Place, among all that was stored, of the record that proves it. */
    place: bigint({ mode: 'bigint' }).notNull(),
    /** Proved by the silence that followed: what comes later may yet take it back. */
    isProvisional: boolean('is_provisional').notNull(),
    /** The finding as JSON text, its session the stored reference. */
    body: text().notNull(),
  },
  (table) => [
    index('finding_at').on(table.at, table.id),
    index('finding_server_at').on(table.serverId, table.at),
    index('finding_session').on(table.sessionRef),
    index('finding_known').on(table.knownAt),
  ],
);
