import Type from 'typebox';
import { FindingBody } from '@/lib/audit/answer-schema';
import { SEVERITIES } from '@/lib/audit/finding';
import { CAUSES } from '@/lib/incidents/incident';
import { Count, Instant, Nullable } from '@/lib/wire/answer-parts';
import { literals, Position } from '@/lib/wire/schema';

export const INCIDENT_STATES = ['open', 'quiet', 'resolved'] as const;

/** What an incident cost so far, as far as it is known. */
export const TollBody = Type.Object({
  /** Resume attempts that were judged faulty or refused. */
  attempts: Count,
  events_lost: Position,
  events_at_least: Type.Boolean(),
  /** Calls whose answer never arrived, and calls that may have run twice. */
  answers_lost: Count,
  calls_doubled: Count,
});

/** An incident in a list. */
export const IncidentItem = Type.Object({
  id: Type.String(),
  title: Type.String(),
  state: literals(INCIDENT_STATES),
  severity: literals(SEVERITIES),
  server: Type.String(),
  /** Null for an imported history whose findings name none. */
  cause: Nullable(literals(CAUSES)),
  origin: literals(['detected', 'imported'] as const),
  opened_at: Instant,
  last_evidence_at: Instant,
  /** When it became quiet or was resolved; null while open. */
  settled_at: Nullable(Instant),
  owner: Nullable(Type.String()),
  /** What it cost, in one sentence. */
  sentence: Type.String(),
  toll: TollBody,
  /** Sessions that it names; more are known of when `sessions_at_least`. */
  sessions_count: Count,
  sessions_at_least: Type.Boolean(),
  /** Records that are pinned as evidence. */
  records: Count,
  /** How often it was opened again. */
  reopened: Count,
  /** The incident that it was merged into. */
  merged_into: Nullable(Type.String()),
});
export type IncidentItem = Type.Static<typeof IncidentItem>;

export const IncidentPage = Type.Object({
  items: Type.Array(IncidentItem),
  next: Nullable(Type.String()),
  /** Incidents of the filter by state, whatever the state filter says. */
  counts: Type.Object({ open: Count, quiet: Count, resolved: Count }),
});
export type IncidentPage = Type.Static<typeof IncidentPage>;

export const IncidentLink = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 200, description: 'text of 1 to 200 characters' }),
    url: Type.String({ maxLength: 2048, pattern: '^https?://', description: 'an address that begins with http:// or https://' }),
  },
  { description: 'a link with title and url' },
);
export type IncidentLink = Type.Static<typeof IncidentLink>;

/** One incident (contract section 6). `findings` are those of the audit of its pinned records; their indices are those of its timeline. */
export const IncidentDetail = Type.Object({
  ...IncidentItem.properties,
  sessions: Type.Array(Type.String()),
  findings: Type.Array(FindingBody),
  /** False while newly pinned records still wait for their audit. */
  findings_current: Type.Boolean(),
  consequences: Type.Array(Type.Object({ kind: Type.String(), message: Type.String() })),
  next_step: Nullable(Type.String()),
  links: Type.Array(IncidentLink),
});
export type IncidentDetail = Type.Static<typeof IncidentDetail>;

/**
 * An incident as whoever has a link to it sees it: what happened, and nobody who works on it. Sessions are `S1`, `S2` … in
 * the order of their appearance, here and in the records.
 */
const { id: _id, owner: _owner, merged_into: _merged, links: _links, ...SHARED } = IncidentDetail.properties;
export const SharedIncident = Type.Object({ ...SHARED, shared_until: Instant });
export type SharedIncident = Type.Static<typeof SharedIncident>;

/** What happened to an incident, oldest first: `opened escalated quieted reopened resolved`, comments and changes. `actor` null is the machine. */
export const IncidentLog = Type.Object({
  items: Type.Array(Type.Object({ seq: Count, at: Instant, type: Type.String(), actor: Nullable(Type.String()), detail: Type.Unknown() })),
});
export type IncidentLog = Type.Static<typeof IncidentLog>;
