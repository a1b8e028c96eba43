import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true });

/** Who may write where: each key and each server belongs to one. The one of id 0 is there from the beginning. */
export const project = pgTable('project', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  name: text().notNull().unique(),
  createdAt: instant('created_at').notNull(),
  /** An archived one takes neither keys nor servers; what it has stays. */
  archivedAt: instant('archived_at'),
});
