import Type from 'typebox';
import { FINDING_GROUPS, SEVERITIES } from '@/lib/audit/finding';
import { ASSESSMENTS } from '@/lib/resume/attempt-facts';
import { DecisionBody } from '@/lib/wire/responses';
import { literals, Position } from '@/lib/wire/schema';

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([Type.Null(), schema]);
const Index = Type.Integer({ minimum: 0 });

/** A finding as the audit and incidents answer it (contract section 5). */
export const FindingBody = Type.Object({
  code: literals(Object.values(FINDING_GROUPS).flat()),
  severity: literals(SEVERITIES),
  blame: literals(['server', 'client', 'path'] as const),
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
      missing: Type.Array(Type.String()),
    }),
  ),
  findings: Type.Array(FindingBody),
});

/** Answer of `GET /api/v1/sessions/{ref}/findings`; `is_whole` false says that the session has more records than were audited. */
export const SessionFindings = Type.Object({ items: Type.Array(FindingBody), records: Index, is_whole: Type.Boolean() });
export type SessionFindings = Type.Static<typeof SessionFindings>;
