import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { project } from './project';

/** Names that repeat on every row are stored once and referred to by number. */
export const server = pgTable(
  'server',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    name: text().notNull().unique(),
    /** Of the key that reported it first, unless an administrator moved it since. */
    projectId: integer('project_id')
      .notNull()
      .default(0)
      .references(() => project.id),
  },
  (table) => [index('server_project').on(table.projectId)],
);

export const node = pgTable('node', { id: integer().primaryKey().generatedAlwaysAsIdentity(), name: text().notNull().unique() });

/** Clients by `name/version`, or the name alone. */
export const client = pgTable('client', { id: integer().primaryKey().generatedAlwaysAsIdentity(), name: text().notNull().unique() });
