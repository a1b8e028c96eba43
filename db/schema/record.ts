import { bigint, index, integer, pgTable, primaryKey, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Every record that is not a resume attempt, partitioned by the UTC day of `at` like `attempt`. */
export const record = pgTable(
  'record',
  {
    at: timestamp({ withTimezone: true }).notNull(),
    id: uuid().notNull(),
    receivedAt: timestamp('received_at', { withTimezone: true }).notNull(),
    arrival: bigint({ mode: 'bigint' }).notNull(),
    serverId: integer('server_id').notNull(),
    nodeId: integer('node_id'),
    sessionRef: uuid('session_ref'),
    type: smallint().notNull(),
    generation: text(),
    stream: text(),
    body: text().notNull(),
    /** Place among all that was stored, as of `attempt`. */
    place: bigint({ mode: 'bigint' }),
  },
  (table) => [
    primaryKey({ columns: [table.at, table.id] }),
    index('record_session_arrival').on(table.sessionRef, table.arrival),
    index('record_server_place').on(table.serverId, table.place),
  ],
);
