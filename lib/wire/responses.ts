import Type from 'typebox';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { MARKS } from '@/lib/resume/mark';
import { REASONS } from '@/lib/resume/types';
import { ANNOTATION_KINDS } from '@/lib/rollup/annotations';
import { literals, Position } from '@/lib/wire/schema';

/**
 * JSON Schemas of the answers of the read API. Routes, the OpenAPI document and the views share them, so that
 * one noun means one thing from query to screen. Instants are RFC 3339 text in UTC.
 */
const Instant = Type.String({ format: 'date-time' });
const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([Type.Null(), schema]);
const Count = Type.Integer({ minimum: 0 });
const countsOf = <const T extends readonly string[]>(keys: T) =>
  Type.Object(Object.fromEntries(keys.map((key) => [key, Count])) as { [K in T[number]]: Type.TInteger });

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

const Totals = Type.Object({
  attempts: Count,
  sessions: Count,
  marks: countsOf(MARKS),
  assessments: countsOf(ASSESSMENTS),
  /** Refusals of a live session's cursor by the server: any refusal but 404, 400 and stream_busy. */
  resume_unavailable: Count,
  /** Sessions with an unsafe resume. */
  unsafe_sessions: Count,
  /** Events that unsafe resumes and bad replays left out, as far as their gaps are known. */
  events_lost: Position,
  /** Whether `events_lost` is only a lower bound: some unsafe resume had no countable gap, or telemetry is missing. */
  events_lost_at_least: Type.Boolean(),
});

/** Findings whose record lies in the period, by code and severity; only those that occurred are named. */
export const FindingCounts = Type.Object({
  total: Count,
  codes: Type.Record(Type.String(), Count),
  severities: Type.Record(Type.String(), Count),
});
export type FindingCounts = Type.Static<typeof FindingCounts>;

/** What an answer does not know: telemetry that was sent and never arrived, or that its producer dropped. */
const BLINDNESS = {
  /** Whether telemetry of the period is known to be missing: every count of it may be short. */
  at_least: Type.Boolean(),
  /** When: apart, in order, within the period. A stretch is as wide as the batches around the loss leave open. */
  blind: Type.Array(Type.Object({ from: Instant, to: Instant })),
  lost_batches: Count,
  dropped_records: Count,
};
export const Blindness = Type.Object(BLINDNESS);
export type Blindness = Type.Static<typeof Blindness>;

export const Summary = Type.Object({
  from: Instant,
  to: Instant,
  ...BLINDNESS,
  totals: Totals,
  /** The same over the period of equal length before `from`. */
  previous: Totals,
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
      first_unsafe_at: Instant,
      last_unsafe_at: Instant,
    }),
  ),
  /** Gap sizes of attempts with a countable gap, in buckets [from, to]; the last one is open. */
  gap_sizes: Type.Array(Type.Object({ from: Count, to: Nullable(Count), unsafe: Count, refused: Count })),
  /**
   * How far from the floor the cursors of attempts were, in events, in buckets [from, to], the last one open. 0 is the
   * lowest cursor that is served whole; `below` counts those under it.
   */
  leads: Type.Object({ below: Count, sizes: Type.Array(Type.Object({ from: Count, to: Nullable(Count), attempts: Count })) }),
  /** What the audit of the stored records proved; of the filter, only servers, session and period apply. */
  findings: FindingCounts,
  /** Incidents that are open now, whatever the period. */
  open_incidents: Count,
  servers_seen: Count,
  /** Newest record of any kind, of all time; null in an empty install. */
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
 * What happened beside the attempts of a period, oldest first. Boots, changes of generation and evictions are added up
 * by step; `storm` and `incident` reach to `until`.
 */
export const Annotations = Type.Object({
  from: Instant,
  to: Instant,
  step_s: Count,
  items: Type.Array(
    Type.Object({
      at: Instant,
      until: Nullable(Instant),
      kind: literals([...ANNOTATION_KINDS, 'deploy', 'proxy_mode', 'storm', 'incident'] as const),
      count: Count,
      /** At most three, those with most first; `servers_total` says how many there are. */
      servers: Type.Array(Type.String()),
      servers_total: Count,
      /** What was deployed, what a route was switched to, or what the incident is called. */
      label: Nullable(Type.String()),
      /** Its id, of `storm` and `incident`. */
      incident: Nullable(Type.String()),
    }),
  ),
});
export type Annotations = Type.Static<typeof Annotations>;

export const Deploy = Type.Object({ server: Type.String(), version: Nullable(Type.String()), at: Instant });

/**
 * What a client did in the session after a refusal: presented the refused cursor again, three times or more (`looped`)
 * or fewer (`retried`), came with another cursor, came without one, went on without a stream, or was not heard of in
 * that session again (`left`: it may have begun another one).
 */
export const AFTER_REFUSAL = ['looped', 'retried', 'other_cursor', 'dropped_cursor', 'went_on', 'left'] as const;
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
  first_unsafe_at: Nullable(Instant),
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
      /** What came next in the session after refusals of this client. */
      after_refusal: countsOf(AFTER_REFUSAL),
    }),
  ),
  /** Protocol revisions; null where the record named none. */
  eras: Type.Array(Type.Object({ protocol_version: Nullable(Type.String()), attempts: Count })),
  /** Shapes of the ids that clients presented, most first; a NUL stands for the number in a shape. */
  id_shapes: Type.Array(Type.Object({ shape: Nullable(Type.String()), example: Type.String(), attempts: Count })),
});
export type ServerDetail = Type.Static<typeof ServerDetail>;

/** State of one stream's log after a step, as far as the records tell; null where they do not. */
export const TimelineState = Type.Object({
  generation: Nullable(Type.String()),
  floor: Nullable(Position),
  head: Nullable(Position),
  holes: Type.Array(Type.Tuple([Position, Position])),
  /** Last position that each open connection has been sent. */
  cursors: Type.Record(Type.String(), Position),
});
export type TimelineState = Type.Static<typeof TimelineState>;
export const TimelineStep = Type.Object({
  index: Count,
  at: Nullable(Instant),
  record: Type.Object({ type: Type.String() }, { additionalProperties: true }),
  state: TimelineState,
  findings: Type.Array(Count),
});
export type TimelineStep = Type.Static<typeof TimelineStep>;
export const Timeline = Type.Object({ steps: Type.Array(TimelineStep), next: Nullable(Type.String()) });
export type Timeline = Type.Static<typeof Timeline>;

/** A key made through the API; its text is only ever in the answer that made it. */
export const AccessKeyItem = Type.Object({
  id: Type.String(),
  /** The begin of the key, by which people tell it from others. */
  prefix: Type.String(),
  label: Type.String(),
  /** Name of the project whose servers it may send records of. */
  project: Type.String(),
  scopes: Type.Array(Type.String()),
  /** `expiring` passes until `expires_at`. */
  state: literals(['active', 'expiring', 'expired', 'revoked'] as const),
  created_at: Instant,
  created_by: Type.String(),
  /** To the minute. */
  last_used_at: Nullable(Instant),
  expires_at: Nullable(Instant),
  revoked_at: Nullable(Instant),
  /** The key that this one was made for in a rotation. */
  replaces: Nullable(Type.String()),
});
export type AccessKeyItem = Type.Static<typeof AccessKeyItem>;
export const AccessKeyList = Type.Object({ items: Type.Array(AccessKeyItem) });
export type AccessKeyList = Type.Static<typeof AccessKeyList>;
export const AccessKeyMade = Type.Object({
  id: Type.String(),
  key: Type.String(),
  prefix: Type.String(),
  label: Type.String(),
  scopes: Type.Array(Type.String()),
});
export type AccessKeyMade = Type.Static<typeof AccessKeyMade>;

/** How long rows are kept. `days` of them hold any now, the oldest is `oldest_day`. */
export const RetentionSettings = Type.Object({
  records_days: Count,
  rollups_days: Count,
  origin: literals(['config', 'api', 'default'] as const),
  oldest_day: Nullable(Type.String({ format: 'date' })),
  days: Count,
  bytes: Count,
});
export type RetentionSettings = Type.Static<typeof RetentionSettings>;
/** What a retention would remove now, counted exactly. */
export const RetentionPlanBody = Type.Object({
  records_days: Count,
  rollups_days: Count,
  attempts: Count,
  records: Count,
  rollup_rows: Count,
  bytes: Count,
  days: Type.Array(Type.String({ format: 'date' })),
});
export type RetentionPlanBody = Type.Static<typeof RetentionPlanBody>;

/** One change of the installation; `from` and `to` are the states before and after, null where there was none. */
export const ChangePage = Type.Object({
  items: Type.Array(
    Type.Object({
      seq: Count,
      at: Instant,
      actor: Type.String(),
      action: Type.String(),
      subject: Type.String(),
      from: Type.Unknown(),
      to: Type.Unknown(),
    }),
  ),
  next: Nullable(Type.String()),
});
export type ChangePage = Type.Static<typeof ChangePage>;

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

/**
 * Frames of `GET /api/v1/live`. The first says what became of the cursor that the page came with; then one follows
 * for everything that was stored, numbered without holes within its generation. Readers fetch what they show.
 */
const LIVE_PLACE = { generation: Type.String(), seq: Count };
export const LiveFrame = Type.Union([
  Type.Object({
    type: Type.Literal('open'),
    /** `resume`: what the page missed follows. `fresh`: it came without a cursor, what was before is not told. */
    verdict: literals(['resume', 'fresh'] as const),
    /** The newest event of the feed at this moment. */
    ...LIVE_PLACE,
    replayed: Count,
  }),
  /** The page has missed something that cannot be replayed: it must fetch all it shows, then goes on from here. */
  Type.Object({ type: Type.Literal('resume_unavailable'), reason: literals(REASONS), ...LIVE_PLACE, next_step: Type.Literal('refetch') }),
  Type.Object({
    type: Type.Literal('stored'),
    ...LIVE_PLACE,
    at: Instant,
    stored: Count,
    attempts: Count,
    servers: Type.Array(Type.String()),
  }),
]);
export type LiveFrame = Type.Static<typeof LiveFrame>;
