import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** A mode that a route was switched to at run time; it stands over the configured one. */
export const proxyMode = pgTable('proxy_mode', {
  route: text().primaryKey(),
  mode: text().notNull(),
  switchedAt: timestamp('switched_at', { withTimezone: true }).notNull(),
});
