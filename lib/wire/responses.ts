import Type from 'typebox';
import { SEVERITIES } from '@/lib/audit/finding';
import { CAUSES } from '@/lib/incidents/incident';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { MARKS } from '@/lib/resume/mark';
import { REASONS } from '@/lib/resume/types';
import { Count, countsOf, Instant, Nullable } from '@/lib/wire/answer-parts';
import { literals, Position } from '@/lib/wire/schema';

/**
 * JSON Schemas of the answers of the read API. Routes, the OpenAPI document and the views share them, so that
 * one noun means one thing from query to screen.
 */
export const DecisionBody = Type.Object({
  verdict: literals(['resume', 'refuse', 'fresh', 'not_applicable'] as const),
  reason: literals(REASONS),
  status: Type.Integer(),
  replay: Nullable(Type.Object({ from: Position, to: Position, count: Position })),
  gap: Nullable(Type.Object({ ranges: Type.Array(Type.Tuple([Position, Position])), count: Position })),
  earliest_retained: Nullable(Position),
  earliest_resumable_cursor: Nullable(Position),
  next_step: Nullable(Type.String()),
});

/** A stored attempt: the members of its record (the session replaced by its reference), and its judgement. */
export const AttemptItem = Type.Object(
  {
    id: Type.String(),
    at: Instant,
    received_at: Instant,
    server: Type.String(),
    /** Reference of the session (keyed hash of its token); null when the request carried none. */
    session: Nullable(Type.String()),
    session_label: Nullable(Type.String()),
    decision: Nullable(DecisionBody),
    assessment: literals(ASSESSMENTS),
    mark: literals(MARKS),
    /** Whether the facts of the record gave the judgement, or the history did, which knows more. */
    judged_by: literals(['record', 'history'] as const),
    /** Facts that were not reported and could have changed the assessment. */
    missing: Type.Array(Type.String()),
  },
  { additionalProperties: true },
);
export type AttemptItem = Type.Static<typeof AttemptItem>;

export const AttemptPage = Type.Object({ items: Type.Array(AttemptItem), next: Nullable(Type.String()) });
export type AttemptPage = Type.Static<typeof AttemptPage>;

const COUNTS = {
  attempts: Count,
  marks: countsOf(MARKS),
  assessments: countsOf(ASSESSMENTS),
  /** Refusals of a live session's cursor by the server: any refusal but 404, 400 and stream_busy. */
  resume_unavailable: Count,
  /** Events that unsafe resumes and bad replays left out, as far as their gaps are known. */
  events_lost: Position,
  /** Whether `events_lost` is only a lower bound: some unsafe resume had no countable gap, or telemetry is missing. */
  events_lost_at_least: Type.Boolean(),
};

const Totals = Type.Object({
  ...COUNTS,
  sessions: Count,
  /** Sessions with an unsafe resume. */
  unsafe_sessions: Count,
});

/** Findings whose record lies in the period, by code and severity; only those that occurred are named. */
export const FindingCounts = Type.Object({
  total: Count,
  codes: Type.Record(Type.String(), Count),
  severities: Type.Record(Type.String(), Count),
});
export type FindingCounts = Type.Static<typeof FindingCounts>;

/** What an answer does not know: telemetry that was sent and never arrived, that its producer dropped, or that was rejected. */
const BLINDNESS = {
  /** Whether telemetry of the period is known to be missing: every count of it may be short. */
  at_least: Type.Boolean(),
  /** When: apart, in order, within the period. A stretch is as wide as the batches around the loss leave open. */
  blind: Type.Array(Type.Object({ from: Instant, to: Instant })),
  lost_batches: Count,
  /** Records that are known to be missing by count: dropped by their producers, or rejected. */
  dropped_records: Count,
  /** How many of them the intake rejected. */
  rejected_records: Count,
};
export const Blindness = Type.Object(BLINDNESS);
export type Blindness = Type.Static<typeof Blindness>;

/** The open incidents of a server that tell of events lost: the oldest of them, since when, and the newest evidence. */
const LossIncident = Type.Object({
  id: Type.String(),
  /** When it was opened, or last opened again; whatever the period. */
  since: Instant,
  last_evidence_at: Instant,
});
export type LossIncident = Type.Static<typeof LossIncident>;

/** An open incident, in as many words as lead to it. */
const IncidentLead = Type.Object({
  id: Type.String(),
  title: Type.String(),
  server: Type.String(),
  severity: literals(SEVERITIES),
  cause: Nullable(literals(CAUSES)),
  next_step: Nullable(Type.String()),
});

export const Summary = Type.Object({
  from: Instant,
  to: Instant,
  ...BLINDNESS,
  totals: Totals,
  /** The same counts, without sessions, over the period of exactly the same length that ends at `from`. */
  previous: Type.Object({ from: Instant, to: Instant, ...COUNTS }),
  /** First and newest unsafe resume inside the range. */
  first_unsafe_at: Nullable(Instant),
  last_unsafe_at: Nullable(Instant),
  /** Servers with unsafe resumes, worst first, at most ten. */
  losing: Type.Array(
    Type.Object({
      server: Type.String(),
      unsafe: Count,
      sessions: Count,
      events_lost: Position,
      /** First and newest unsafe resume inside the range. */
      first_unsafe_at: Instant,
      last_unsafe_at: Instant,
      loss_incident: Nullable(LossIncident),
    }),
  ),
  /** Gap sizes of attempts with a countable gap, in buckets [from, to]; the last one is open. */
  gap_sizes: Type.Array(Type.Object({ from: Count, to: Nullable(Count), unsafe: Count, bad_replay: Count, refused: Count })),
  /**
   * How far from the floor the cursors of attempts were, in events, in buckets [from, to], the last one open. 0 is the
   * lowest cursor that is served whole; `below` counts those under it.
   */
  leads: Type.Object({ below: Count, sizes: Type.Array(Type.Object({ from: Count, to: Nullable(Count), attempts: Count })) }),
  /** What the audit of the stored records proved; of the filter, only servers, session and period apply. */
  findings: FindingCounts,
  /** Incidents that are open now, whatever the period. */
  open_incidents: Count,
  /** Of these the most severe one, the newest evidence first; imported ones are not among them. */
  worst_incident: Nullable(IncidentLead),
  /**
   * Servers heard of in the period, and those known by its end; those of archived projects only where they were heard
   * of. Of the filter, only servers apply.
   */
  servers_seen: Count,
  servers_known: Count,
  /** Of those that were not heard of in the period, the last heard first, at most three. */
  silent: Type.Array(Type.Object({ server: Type.String(), last_seen_at: Instant })),
  /** Newest record of any kind by these servers, of all time; null where there is none. */
  last_record_at: Nullable(Instant),
  records_total: Count,
});
export type Summary = Type.Static<typeof Summary>;

export const SERIES_KEYS = ['mark', 'assessment', 'verdict', 'reason', 'server'] as const;

export const Series = Type.Object({
  from: Instant,
  to: Instant,
  step_s: Count,
  by: literals(SERIES_KEYS),
  ...BLINDNESS,
  keys: Type.Array(Type.String()),
  /** One point per step, also where nothing happened; `counts` names only keys that occurred. */
  points: Type.Array(
    Type.Object({ at: Instant, counts: Type.Record(Type.String(), Count), events_lost: Position, resume_unavailable: Count }),
  ),
});
export type Series = Type.Static<typeof Series>;

/**
 * What a client did after a refusal: began a new session, presented the refused cursor again, three times or more
 * (`looped`) or fewer (`retried`), came with another cursor, came without one, went on without a stream, did nothing at
 * all for 5 minutes (`hung`); `unknown` where the records do not tell.
 */
export const AFTER_REFUSAL = [
  'reinitialized',
  'looped',
  'retried',
  'other_cursor',
  'dropped_cursor',
  'went_on',
  'hung',
  'unknown',
] as const;
export type AfterRefusal = (typeof AFTER_REFUSAL)[number];

export const ServerItem = Type.Object({
  server: Type.String(),
  attempts: Count,
  sessions: Count,
  nodes: Count,
  marks: countsOf(MARKS),
  resume_unavailable: Count,
  events_lost: Position,
  /** Findings of the audit in the period. */
  findings: Count,
  /** Of these the ones that prove a loss. */
  loss_findings: Count,
  /** First and newest unsafe resume inside the period. */
  first_unsafe_at: Nullable(Instant),
  last_unsafe_at: Nullable(Instant),
  loss_incident: Nullable(LossIncident),
  /** Whether telemetry of the server in the period is known to be missing: every count may be short. */
  at_least: Type.Boolean(),
  last_seen_at: Instant,
  /** Smallest distance between an accepted cursor and what the floor rule still served; null when unknown. */
  lead_min: Nullable(Position),
  /** Most positions retained at an attempt (head − floor + 1), and most that one attempt needed (head − cursor). */
  kept_max: Nullable(Position),
  needed_max: Nullable(Position),
});
export type ServerItem = Type.Static<typeof ServerItem>;
export const ServerList = Type.Object({ items: Type.Array(ServerItem) });
export type ServerList = Type.Static<typeof ServerList>;

export const SessionDetail = Type.Object({
  ref: Type.String(),
  label: Type.String(),
  server: Type.String(),
  first_at: Instant,
  last_at: Instant,
  records: Count,
  attempts: Count,
  marks: countsOf(MARKS),
  generations: Type.Array(Type.String()),
  streams: Type.Array(Type.String()),
});
export type SessionDetail = Type.Static<typeof SessionDetail>;

/** A session in a list; `unsafe` counts its unsafe resumes. */
export const SessionItem = Type.Object({
  ref: Type.String(),
  label: Type.String(),
  server: Type.String(),
  first_at: Instant,
  last_at: Instant,
  records: Count,
  attempts: Count,
  unsafe: Count,
  /** What the audit proved of it. */
  findings: Count,
});
export type SessionItem = Type.Static<typeof SessionItem>;
export const SessionPage = Type.Object({ items: Type.Array(SessionItem), next: Nullable(Type.String()) });
export type SessionPage = Type.Static<typeof SessionPage>;

/** How many sessions a filter lets through, and where. */
export const SessionFacets = Type.Object({
  total: Count,
  unsafe: Count,
  servers: Type.Array(Type.Object({ server: Type.String(), sessions: Count })),
});
export type SessionFacets = Type.Static<typeof SessionFacets>;

/** What a server's page tells of a period beyond the counts of its list; of the newest attempts only, see `is_whole`. */
export const ServerDetail = Type.Object({
  server: Type.String(),
  /** Counts of the period; null when nothing was heard of it in the period. */
  totals: Nullable(ServerItem),
  /** Attempts that the rest of the answer was read from, newest first; `is_whole` false: the period has more. */
  attempts_read: Count,
  is_whole: Type.Boolean(),
  nodes: Type.Array(Type.Object({ node: Type.String(), first_at: Instant, last_at: Instant, records: Count })),
  /** Labels of its generations, the newest last, with the time in which each was seen. */
  generations: Type.Array(Type.Object({ generation: Type.String(), first_at: Instant, last_at: Instant, attempts: Count })),
  boots: Type.Array(Type.Object({ at: Instant, node: Nullable(Type.String()), generation: Nullable(Type.String()) })),
  retention: Type.Object({
    /** Positions retained at an attempt: least and median; null when no attempt told. */
    kept_min: Nullable(Position),
    kept_median: Nullable(Position),
    /** Positions that reconnects needed: median, 95th percentile and most. */
    needed_median: Nullable(Position),
    needed_p95: Nullable(Position),
    needed_max: Nullable(Position),
    /** Attempts whose need was told, and those of them that could be served whole. */
    measured: Count,
    served_whole: Count,
  }),
  clients: Type.Array(
    Type.Object({
      /** Name, or name/version; null where the record named none. */
      client: Nullable(Type.String()),
      attempts: Count,
      sessions: Count,
      marks: countsOf(MARKS),
      /** What this client did after refusals. */
      after_refusal: countsOf(AFTER_REFUSAL),
    }),
  ),
  /** Protocol revisions; null where the record named none. */
  eras: Type.Array(Type.Object({ protocol_version: Nullable(Type.String()), attempts: Count })),
  /** Shapes of the ids that clients presented, most first; a NUL stands for the number in a shape. */
  id_shapes: Type.Array(Type.Object({ shape: Nullable(Type.String()), example: Type.String(), attempts: Count })),
});
export type ServerDetail = Type.Static<typeof ServerDetail>;

export const IntakeAnswer = Type.Object({
  accepted: Count,
  duplicate: Count,
  /** By index. `code` is given where not the record itself is at fault. */
  rejected: Type.Array(
    Type.Object({
      index: Count,
      path: Type.String(),
      message: Type.String(),
      code: Type.Optional(Type.Literal('foreign_server')),
    }),
  ),
});
export type IntakeAnswer = Type.Static<typeof IntakeAnswer>;

/** An error anywhere: a stable code, the field, and the next step (contract section 6). */
export const ErrorBody = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    path: Type.Optional(Type.String()),
    next_step: Type.Optional(Type.String()),
  }),
});
export type ErrorBody = Type.Static<typeof ErrorBody>;
