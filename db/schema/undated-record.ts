import { pgTable, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * The instant given to a record that was sent with an id but without an `at` that is believed, or with one that only just is. Rows are unique by (at, id):
 * without this table such a record, sent twice, would be stored under two instants.
 */
export const undatedRecord = pgTable('undated_record', {
  id: uuid().primaryKey(),
  at: timestamp({ withTimezone: true }).notNull(),
});
