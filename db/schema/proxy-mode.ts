import { doublePrecision, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** What a route was switched to at run time; it stands over what is configured. */
export const proxyMode = pgTable('proxy_mode', {
  route: text().primaryKey(),
  mode: text().notNull(),
  /** Share of sessions that `canary` enforces on; null where a version that did not switch it wrote the row: the configured one. */
  canaryPercent: doublePrecision('canary_percent'),
  switchedAt: timestamp('switched_at', { withTimezone: true }).notNull(),
});
