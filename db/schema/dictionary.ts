import { integer, pgTable, text } from 'drizzle-orm/pg-core';

/** Names that repeat on every row are stored once and referred to by number. */
export const server = pgTable('server', { id: integer().primaryKey().generatedAlwaysAsIdentity(), name: text().notNull().unique() });

export const node = pgTable('node', { id: integer().primaryKey().generatedAlwaysAsIdentity(), name: text().notNull().unique() });

/** Clients by `name/version`, or the name alone. */
export const client = pgTable('client', { id: integer().primaryKey().generatedAlwaysAsIdentity(), name: text().notNull().unique() });
