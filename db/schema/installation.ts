import { pgTable, text } from 'drizzle-orm/pg-core';

/** Facts about this installation, such as the fingerprint of the secret that session tokens are hashed with. */
export const installation = pgTable('installation', { key: text().primaryKey(), value: text().notNull() });
