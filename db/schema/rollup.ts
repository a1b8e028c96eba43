import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, numeric, pgTable, primaryKey, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const measures = () => ({
  attempts: bigint({ mode: 'bigint' }).notNull(),
  unavailable: bigint({ mode: 'bigint' }).notNull(),
  /** Events in the countable gaps of these attempts. */
  gapEvents: numeric('gap_events').notNull(),
  /** Attempts whose gap could not be counted. */
  uncounted: bigint({ mode: 'bigint' }).notNull(),
});

/** Attempts per minute, reason and assessment; verdict and mark follow from those two. */
export const attemptMinute = pgTable(
  'attempt_minute',
  { bucket: timestamp({ withTimezone: true }).notNull(), reason: smallint().notNull(), assessment: smallint().notNull(), ...measures() },
  (table) => [primaryKey({ columns: [table.bucket, table.reason, table.assessment] })],
);

/** The same per hour and server, with the extremes that a server's page shows. */
export const serverHour = pgTable(
  'server_hour',
  {
    bucket: timestamp({ withTimezone: true }).notNull(),
    serverId: integer('server_id').notNull(),
    reason: smallint().notNull(),
    assessment: smallint().notNull(),
    ...measures(),
    firstAt: timestamp('first_at', { withTimezone: true }).notNull(),
    lastAt: timestamp('last_at', { withTimezone: true }).notNull(),
    leadMin: bigint('lead_min', { mode: 'bigint' }),
    keptMax: bigint('kept_max', { mode: 'bigint' }),
    neededMax: bigint('needed_max', { mode: 'bigint' }),
  },
  (table) => [primaryKey({ columns: [table.bucket, table.serverId, table.reason, table.assessment] })],
);

/**
 * Mergeable histograms per hour: `measure` and `bucket` are the codes of `lib/rollup`, four buckets per octave,
 * so that a percentile is at most 9 % off.
 */
export const attemptHistogram = pgTable(
  'attempt_histogram',
  {
    hour: timestamp({ withTimezone: true }).notNull(),
    measure: smallint().notNull(),
    mark: smallint().notNull(),
    bucket: smallint().notNull(),
    count: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.measure, table.mark, table.bucket] })],
);

/**
 * How often something happened to a server: boots, changes of generation, evictions. Each once by its minute and once,
 * added up, by its hour, so that long periods need not read minutes.
 */
export const annotation = pgTable(
  'annotation',
  {
    isHour: boolean('is_hour').notNull(),
    kind: smallint().notNull(),
    bucket: timestamp({ withTimezone: true }).notNull(),
    serverId: integer('server_id').notNull(),
    count: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.isHour, table.kind, table.bucket, table.serverId] }),
    index('annotation_server').on(table.serverId, table.isHour, table.bucket),
  ],
);

/** What is known of each session from all of its records. */
export const session = pgTable(
  'session',
  {
    ref: uuid().primaryKey(),
    serverId: integer('server_id').notNull(),
    firstAt: timestamp('first_at', { withTimezone: true }).notNull(),
    lastAt: timestamp('last_at', { withTimezone: true }).notNull(),
    records: bigint({ mode: 'bigint' }).notNull(),
    attempts: bigint({ mode: 'bigint' }).notNull(),
    unsafe: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [index('session_last_at').on(table.lastAt, table.ref)],
);

/** Sessions with an attempt in an hour, so that distinct sessions are counted without touching attempts. */
export const sessionHour = pgTable(
  'session_hour',
  {
    hour: timestamp({ withTimezone: true }).notNull(),
    serverId: integer('server_id').notNull(),
    sessionRef: uuid('session_ref').notNull(),
    /** Unsafe resumes of the session in the hour. */
    unsafe: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
  },
  (table) => [
    primaryKey({ columns: [table.hour, table.serverId, table.sessionRef] }),
    index('session_hour_session').on(table.sessionRef, table.hour),
    index('session_hour_unsafe').on(table.hour, table.serverId, table.sessionRef).where(sql`unsafe > 0`),
  ],
);

/**
 * Sessions that had an attempt (or an unsafe resume) in an hour, counted by the last hour before it in which they
 * had one; `-infinity` for the first. The sessions of any stretch of whole hours are then a sum: those of its hours
 * whose `before` lies before the stretch.
 */
export const sessionCount = pgTable(
  'session_count',
  {
    hour: timestamp({ withTimezone: true }).notNull(),
    serverId: integer('server_id').notNull(),
    isUnsafe: boolean('is_unsafe').notNull(),
    before: timestamp({ withTimezone: true }).notNull(),
    sessions: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.isUnsafe, table.hour, table.serverId, table.before] })],
);

/** All records ever stored, by type. */
export const recordType = pgTable('record_type', {
  type: smallint().primaryKey(),
  records: bigint({ mode: 'bigint' }).notNull(),
  firstAt: timestamp('first_at', { withTimezone: true }).notNull(),
  lastAt: timestamp('last_at', { withTimezone: true }).notNull(),
});

/** When each server was heard of, by records of any type. */
export const serverActivity = pgTable('server_activity', {
  serverId: integer('server_id').primaryKey(),
  records: bigint({ mode: 'bigint' }).notNull(),
  firstAt: timestamp('first_at', { withTimezone: true }).notNull(),
  lastAt: timestamp('last_at', { withTimezone: true }).notNull(),
});

/** When each node of a server was heard of. */
export const serverNode = pgTable(
  'server_node',
  {
    serverId: integer('server_id').notNull(),
    nodeId: integer('node_id').notNull(),
    records: bigint({ mode: 'bigint' }).notNull(),
    firstAt: timestamp('first_at', { withTimezone: true }).notNull(),
    lastAt: timestamp('last_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.serverId, table.nodeId] })],
);

/**
 * Rollup increments that were committed together with their rows and are not folded yet. A fold deletes them in
 * the transaction that adds them up: a crash can neither lose nor double one.
 */
export const pendingRollup = pgTable('pending_rollup', {
  seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  /** Number of the intake's transaction, by which the process that stored it knows its increments; null for others'. */
  batch: bigint({ mode: 'bigint' }),
  increments: text().notNull(),
  /** When they were first set aside; null for what never was. */
  setAsideAt: timestamp('set_aside_at', { withTimezone: true }),
});

/**
 * Increments that no fold can add, kept beside so that they stop no others. They are tried again when a process starts,
 * which may be of a version that can.
 */
export const setAsideRollup = pgTable(
  'set_aside_rollup',
  {
    /** As it was in `pending_rollup`. */
    seq: bigint({ mode: 'bigint' }).primaryKey(),
    increments: text().notNull(),
    /** SQLSTATE, the name of the error, or `out_of_time`. */
    code: text().notNull(),
    /** When they were first set aside. */
    at: timestamp({ withTimezone: true }).notNull(),
  },
  (table) => [index('set_aside_rollup_at').on(table.at)],
);
