import { bigint, boolean, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const count = (name?: string) => (name === undefined ? bigint({ mode: 'number' }) : bigint(name, { mode: 'number' }));
const instant = (name: string) => timestamp(name, { withTimezone: true });

/**
 * Project that the sender is of, and so part of whatever it says: what two projects call the same is not the same. A sender
 * without a key is of the default one.
 */
const projectId = () => integer('project_id').notNull().default(0);

/** How far each numbering of a producer of telemetry has come. */
export const producerEpoch = pgTable(
  'producer_epoch',
  {
    projectId: projectId(),
    producer: text().notNull(),
    epoch: text().notNull(),
    /** Lowest batch number that there is, as far as it is known: 0 or 1. */
    first: count().notNull().default(1),
    /** Highest batch number received. */
    head: count().notNull(),
    /** Newest instant in the batch of that number. */
    headAt: instant('head_at').notNull(),
    /** Records dropped by the producer, in all, as far as it told. */
    dropped: count().notNull(),
    firstAt: instant('first_at').notNull(),
    lastAt: instant('last_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.producer, table.epoch] }), index('producer_epoch_last').on(table.lastAt)],
);

/** Servers that a producer has sent records of. */
export const producerServer = pgTable(
  'producer_server',
  { projectId: projectId(), producer: text().notNull(), serverId: integer('server_id').notNull() },
  (table) => [primaryKey({ columns: [table.projectId, table.producer, table.serverId] })],
);

/**
 * Telemetry that is known to be missing: batch numbers that never arrived, or records that the producer dropped or the
 * intake rejected (then `last` is `first - 1`). A late batch takes its number out again.
 */
export const telemetryLoss = pgTable(
  'telemetry_loss',
  {
    projectId: projectId(),
    producer: text().notNull(),
    epoch: text().notNull(),
    first: count().notNull(),
    last: count().notNull(),
    /** The newest instant before and the oldest one after what is missing. */
    since: instant('since').notNull(),
    until: instant('until').notNull(),
    /** The server that it is about; 0: those that its producer has sent records of. */
    serverId: integer('server_id').notNull().default(0),
    /** Whether the intake rejected the records. */
    isRejected: boolean('is_rejected').notNull().default(false),
    /** Records dropped or rejected; 0 for missing batches, whose size nobody knows. */
    records: count().notNull(),
    /** When the loss became known. */
    revealedAt: instant('revealed_at').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'telemetry_loss_pk',
      columns: [table.projectId, table.producer, table.epoch, table.first, table.last, table.serverId, table.isRejected],
    }),
    index('telemetry_loss_until').on(table.until),
    index('telemetry_loss_revealed').on(table.revealedAt),
  ],
);

/** Records with an id that were rejected outside of numbered batches: sent again, they are no other loss. */
export const rejectedRecord = pgTable(
  'rejected_record',
  { projectId: projectId(), id: uuid().notNull(), at: instant('at').notNull() },
  (table) => [primaryKey({ columns: [table.projectId, table.id] }), index('rejected_record_at').on(table.at)],
);
