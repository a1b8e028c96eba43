import { bigint, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** Who changed what about this installation, in order. Rows are only ever added. Secrets are never part of one. */
export const changeLog = pgTable(
  'change_log',
  {
    seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull(),
    /** Name of the key or member that asked for it, `local` without authentication, `system` for the product's own jobs. */
    actor: text().notNull(),
    /** What was done, such as `key.created` or `proxy.mode`. */
    action: text().notNull(),
    /** What it was done to: an id or a name. */
    subject: text().notNull(),
    /** The state before and after, as JSON text; null where there was none. */
    before: text(),
    after: text(),
  },
  (table) => [index('change_log_action').on(table.action, table.seq)],
);
