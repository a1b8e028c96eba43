import { index, integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { project } from './project';

const instant = (name: string) => timestamp(name, { withTimezone: true });

/** Keys made through the API. The key itself is shown once and never stored; those of the configuration file are not here. */
export const accessKey = pgTable(
  'access_key',
  {
    id: uuid().primaryKey(),
    /** The part of the key's text by which it is found; not secret. */
    prefix: text().notNull().unique(),
    /** Keyed hash of the whole text, hexadecimal. */
    hash: text().notNull(),
    label: text().notNull(),
    /** Whose servers it may send records of. */
    projectId: integer('project_id')
      .notNull()
      .default(0)
      .references(() => project.id),
    /** Separated by spaces. */
    scopes: text().notNull(),
    createdAt: instant('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    /** Coarse: written at most once a minute. */
    lastUsedAt: instant('last_used_at'),
    /** Set when the key was rotated: until then the old and the new one both pass. */
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    /** The key that this one replaces. */
    replaces: uuid(),
  },
  (table) => [index('access_key_created').on(table.createdAt, table.id)],
);
