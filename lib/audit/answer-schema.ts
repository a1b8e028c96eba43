import Type from 'typebox';
import { BLAMES, FINDING_GROUPS, SEVERITIES } from '@/lib/audit/finding';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { Instant, Nullable } from '@/lib/wire/answer-parts';
import { DecisionBody } from '@/lib/wire/responses';
import { literals, Position } from '@/lib/wire/schema';

const Index = Type.Integer({ minimum: 0 });

/** A finding as the audit and incidents answer it (contract section 5). */
export const FindingBody = Type.Object({
  code: literals(Object.values(FINDING_GROUPS).flat()),
  severity: literals(SEVERITIES),
  blame: literals(BLAMES),
  count: Position,
  exact: Type.Boolean(),
  server: Type.String(),
  session: Nullable(Type.String()),
  stream: Nullable(Type.String()),
  conn: Nullable(Type.String()),
  index: Index,
  first: Nullable(Type.String()),
  last: Nullable(Type.String()),
  message: Type.String(),
  next_step: Type.String(),
  records: Type.Array(Index),
  consequences: Type.Array(Type.Object({ kind: Type.String(), message: Type.String() })),
});

/** Answer of `POST /api/v1/audit`. */
export const AuditBody = Type.Object({
  resumes: Type.Array(
    Type.Object({
      index: Index,
      conn: Nullable(Type.String()),
      session: Nullable(Type.String()),
      decision: Nullable(DecisionBody),
      assessment: literals(ASSESSMENTS),
      left_out: Nullable(Position),
      missing: Type.Array(Type.String()),
    }),
  ),
  findings: Type.Array(FindingBody),
});

/** Answer of `GET /api/v1/sessions/{ref}/findings`; `is_whole` false says that the session has more records than were audited. */
export const SessionFindings = Type.Object({ items: Type.Array(FindingBody), records: Index, is_whole: Type.Boolean() });
export type SessionFindings = Type.Static<typeof SessionFindings>;

const Counts = Type.Record(Type.String(), Index);

/**
 * A stored finding: the finding itself, its `session` the reference, its `index` and `records` places among all that
 * was stored (they order records, and are no positions in an input).
 */
export const StoredFinding = Type.Object({
  ...FindingBody.properties,
  id: Type.String(),
  /** Instant of the record that proves it. */
  at: Instant,
  /** When the audit first told of it, and when it last changed. */
  known_at: Instant,
  changed_at: Instant,
  session_label: Nullable(Type.String()),
  /** Proved by the silence that followed: what comes later may yet take it back. */
  is_provisional: Type.Boolean(),
});
export type StoredFinding = Type.Static<typeof StoredFinding>;

/** Answer of `GET /api/v1/findings`. */
export const FindingPage = Type.Object({ items: Type.Array(StoredFinding), next: Nullable(Type.String()) });
export type FindingPage = Type.Static<typeof FindingPage>;

/** Answer of `GET /api/v1/findings/facets`: how many findings the filter lets through, and of which kinds. */
export const FindingFacets = Type.Object({
  total: Index,
  codes: Counts,
  severities: Counts,
  blames: Counts,
  servers: Type.Array(Type.Object({ server: Type.String(), findings: Index })),
});
export type FindingFacets = Type.Static<typeof FindingFacets>;

/** A record that a finding cites, as it was stored. */
const CitedRecord = Type.Object({
  index: Index,
  id: Type.String(),
  at: Instant,
  record: Type.Object({ type: Type.String() }, { additionalProperties: true }),
});

/** Answer of `GET /api/v1/findings/{id}`: the finding, why it is one, and the records that prove it. */
export const FindingDetail = Type.Object({
  finding: StoredFinding,
  proof: Type.Object({
    /** Place of the first record that is illegal. */
    first_illegal: Index,
    /** The rule that it breaks. */
    clause: Type.String(),
    /** What happened, with its numbers. */
    sentence: Type.String(),
    /** The smallest change of fact that would have made it legal. */
    smallest_change: Type.String(),
  }),
  /** Records cited, in order; those that are no longer retained are missing. */
  records: Type.Array(CitedRecord),
});
export type FindingDetail = Type.Static<typeof FindingDetail>;
