import { bigint, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** The one row that says which numbering the live feed is in and how far it has come. */
export const liveHead = pgTable('live_head', {
  id: bigint({ mode: 'number' }).primaryKey(),
  generation: text().notNull(),
  head: bigint({ mode: 'bigint' }).notNull(),
});

/** What the live feed told last, numbered without holes: the retained end of its log. */
export const liveEvent = pgTable('live_event', {
  seq: bigint({ mode: 'bigint' }).primaryKey(),
  at: timestamp({ withTimezone: true }).notNull(),
  /** JSON text of what was stored: counts and names, never contents. */
  note: text().notNull(),
});
