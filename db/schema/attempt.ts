import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

/**
 * One judged resume attempt per row, partitioned by the UTC day of `at`. Columns are what queries filter, sort
 * or fold by; the record as it was sent (without its session token) is `body`, JSON text rather than `jsonb`
 * because event ids may hold NUL. Closed unions are stored as the codes of `db/codes`.
 */
export const attempt = pgTable(
  'attempt',
  {
    at: timestamp({ withTimezone: true }).notNull(),
    id: uuid().notNull(),
    receivedAt: timestamp('received_at', { withTimezone: true }).notNull(),
    /** Order of arrival: rises within a process, so that a session's records keep the order they were sent in. */
    arrival: bigint({ mode: 'bigint' }).notNull(),
    serverId: integer('server_id').notNull(),
    nodeId: integer('node_id'),
    clientId: integer('client_id'),
    /** Keyed hash of the session token; null when the request carried none. */
    sessionRef: uuid('session_ref'),
    generation: text(),
    requestedGeneration: text('requested_generation'),
    /** Null is the default stream, `get`. */
    stream: text(),
    protocolVersion: text('protocol_version'),
    cursor: bigint({ mode: 'bigint' }),
    floor: bigint({ mode: 'bigint' }),
    head: bigint({ mode: 'bigint' }),
    status: smallint(),
    latencyMs: doublePrecision('latency_ms'),
    /** What the server did. */
    act: smallint().notNull(),
    /** What the rules say; both null when the facts leave more than one verdict open. */
    verdict: smallint(),
    reason: smallint(),
    assessment: smallint().notNull(),
    mark: smallint().notNull(),
    /** A refusal of a live session's cursor: any refusal but 404, 400 and `stream_busy`. */
    isUnavailable: boolean('is_unavailable').notNull(),
    /** Events missing after the cursor; null where the facts do not size the gap. */
    gapCount: bigint('gap_count', { mode: 'bigint' }),
    /** Events that a whole replay holds. */
    replayCount: bigint('replay_count', { mode: 'bigint' }),
    /** Cursor minus the lowest cursor that the floor rule lets through; negative below the floor. */
    lead: bigint({ mode: 'bigint' }),
    body: text().notNull(),
    /** Place among all that was stored: number of its transaction × 2^20 + its number in it. Null before there was an audit. */
    place: bigint({ mode: 'bigint' }),
    /** Whether the record's own facts (0) or the history (1) gave the judgement. */
    judgedBy: smallint('judged_by').notNull().default(0),
    /** The decision that the history gave, as JSON text; null where the record's own facts give it. */
    judgement: text(),
  },
  (table) => [
    primaryKey({ columns: [table.at, table.id] }),
    index('attempt_id').on(table.id),
    index('attempt_server_place').on(table.serverId, table.place),
    index('attempt_server_at').on(table.serverId, table.at),
    // What has become known lately, whenever it happened: alert rules look back by it. It only grows at its end.
    index('attempt_received').on(table.receivedAt),
    index('attempt_session_at').on(table.sessionRef, table.at, table.id),
    // What a number of `resume_unavailable` leads to.
    index('attempt_unavailable_at').on(table.at, table.id).where(sql`is_unavailable`),
    // Unsafe resumes, bad replays and over-refusals (their mark codes): few among many, and what people look for.
    index('attempt_trouble_at').on(table.at, table.id).where(sql`mark in (0, 1, 2)`),
  ],
);
