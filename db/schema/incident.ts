import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, numeric, pgTable, primaryKey, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';

const instant = (name: string) => timestamp(name, { withTimezone: true });

/** Incidents, detected here or imported. Names and not numbers: an imported one may be of a server that was never heard of. */
export const incident = pgTable(
  'incident',
  {
    id: uuid().primaryKey(),
    /** How evidence finds it; null for an imported one, which takes none. */
    key: text(),
    /** Whether evidence of its key still goes to it: a cause that comes back much later opens another. */
    isCurrent: boolean('is_current').notNull(),
    server: text().notNull(),
    cause: text(),
    title: text().notNull(),
    state: text().notNull(),
    severity: text().notNull(),
    /** What a person set in its place; until it gets worse. */
    ownSeverity: text('own_severity'),
    owner: text(),
    /** JSON list of `{title, url}`. */
    links: text().notNull().default('[]'),
    openedAt: instant('opened_at').notNull(),
    lastEvidenceAt: instant('last_evidence_at').notNull(),
    settledAt: instant('settled_at'),
    mergedInto: uuid('merged_into'),
    /** What the machine remembers, or for an imported one what it would say; null where no finding speaks for an incident. */
    machine: text(),
    /** What an imported bundle said of its incident, as it said it; null for a detected one. */
    content: text(),
    /** What its pinned records prove, JSON. */
    findings: text().notNull().default('[]'),
    records: integer().notNull().default(0),
    /** Last evidence up to which records that name no session are pinned, where they belong to the incident; null before. */
    unnamedUntil: instant('unnamed_until'),
    /** Rises with every change of its pinned records; `audited` is the one that `findings` speak of. */
    revision: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
    audited: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
  },
  (table) => [
    uniqueIndex('incident_current_key').on(table.key).where(sql`is_current`),
    index('incident_opened_at').on(table.openedAt, table.id),
    index('incident_state').on(table.state, table.server),
  ],
);

/** Sessions of an incident in order of appearance, and how far their records are pinned. */
export const incidentSession = pgTable(
  'incident_session',
  {
    incidentId: uuid('incident_id')
      .notNull()
      .references(() => incident.id, { onDelete: 'cascade' }),
    sessionRef: uuid('session_ref').notNull(),
    place: integer().notNull(),
    /** Records that the session had when it was last pinned. */
    pinned: bigint({ mode: 'bigint' }).notNull().default(sql`0`),
  },
  (table) => [primaryKey({ columns: [table.incidentId, table.sessionRef] }), index('incident_session_ref').on(table.sessionRef)],
);

/** The evidence: copies of records, so that retention cannot take them. `place` orders them: order of arrival, or of the bundle. */
export const incidentRecord = pgTable(
  'incident_record',
  {
    incidentId: uuid('incident_id')
      .notNull()
      .references(() => incident.id, { onDelete: 'cascade' }),
    place: bigint({ mode: 'bigint' }).notNull(),
    /** Id of the record that was copied; of an imported one its place says enough. */
    recordId: uuid('record_id').notNull(),
    /** Instant, session and body as they were stored; of an imported record the body is all, and `at` is null. */
    at: instant('at'),
    sessionRef: uuid('session_ref'),
    body: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.incidentId, table.place, table.recordId] }),
    index('incident_record_session').on(table.incidentId, table.sessionRef, table.place),
  ],
);

/** Everything that happened to an incident, by the machine or a person. */
export const incidentEvent = pgTable(
  'incident_event',
  {
    seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    incidentId: uuid('incident_id')
      .notNull()
      .references(() => incident.id, { onDelete: 'cascade' }),
    at: instant('at').notNull(),
    type: text().notNull(),
    /** Who did it; null is the machine. */
    actor: text(),
    /** JSON: what changed, or the text of a comment. */
    detail: text().notNull(),
  },
  (table) => [index('incident_event_incident').on(table.incidentId, table.seq)],
);

/** Facts that the machine remembers beside its incidents: where split sessions go, and how far rates were judged. One row. */
export const incidentBook = pgTable('incident_book', {
  id: integer().primaryKey(),
  now: instant('now').notNull(),
  split: text().notNull(),
  /** Steps of rates that end here or before were judged. */
  ratesUntil: instant('rates_until').notNull(),
});

/**
 * Evidence that was committed together with the rows it speaks of and was not taken yet. Whoever advances the
 * incidents deletes it in the same transaction: a crash can neither lose nor double one.
 */
export const pendingEvidence = pgTable('pending_evidence', {
  seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  evidence: text().notNull(),
});

/** Findings that were proved or grew and were not taken as evidence yet; a trigger on `finding` writes it. */
export const pendingFinding = pgTable('pending_finding', {
  seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  findingId: uuid('finding_id').notNull(),
});

/** What of a finding has been counted: one that grows speaks for its growth only. */
export const countedFinding = pgTable('counted_finding', { findingId: uuid('finding_id').primaryKey(), count: numeric().notNull() });

/** Attempts of one server in one step of time, counted once: what spikes are measured against. */
export const rateStep = pgTable(
  'rate_step',
  {
    serverId: integer('server_id').notNull(),
    /** Where the step ends. */
    until: instant('until').notNull(),
    attempts: integer().notNull(),
    unavailable: integer().notNull(),
    unverifiable: integer().notNull(),
    sessions: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.serverId, table.until] })],
);
