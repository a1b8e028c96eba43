import Type from 'typebox';
import { REASONS } from '@/lib/resume/types';
import { Change } from '@/lib/whatif/change';
import { Count, Nullable } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

const VERDICTS = ['resume', 'refuse', 'fresh', 'not_applicable'] as const;
const Outcome = Type.Object({ verdict: literals(VERDICTS), reason: literals(REASONS) });
const VerdictCounts = Type.Object({ resume: Count, refuse: Count, fresh: Count, not_applicable: Count });

/**
 * What an answer rests on: `history` is every record of the attempts' sessions, so that what an attempt does not
 * report is taken from the records before it; `attempts` is each attempt's own numbers, for periods with too many records.
 */
const Basis = literals(['history', 'attempts'] as const);

/** Body of `POST /api/v1/whatif` (contract section 6): one of records, incident, and server with from and to. */
export const WhatIfBody = Type.Object(
  {
    records: Type.Optional(Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true }))),
    incident: Type.Optional(Type.String({ description: 'the id of an incident' })),
    server: Type.Optional(Type.String()),
    from: Type.Optional(Type.Union([Type.String(), Type.Integer()], { description: 'an instant: RFC 3339 text or epoch milliseconds' })),
    to: Type.Optional(Type.Union([Type.String(), Type.Integer()], { description: 'an instant: RFC 3339 text or epoch milliseconds' })),
    change: Change,
  },
  { additionalProperties: true, description: 'an object' },
);

/** Answer of `POST /api/v1/whatif`. `index` is a place in the records, or with `basis` "attempts" among the attempts. */
export const WhatIfResult = Type.Object({
  attempts: Count,
  changed: Count,
  /** Attempts that no verdict can be given for, before or after. */
  untested: Count,
  items: Type.Array(Type.Object({ index: Count, id: Nullable(Type.String()), before: Outcome, after: Outcome })),
  before: VerdictCounts,
  after: VerdictCounts,
  basis: Basis,
});
export type WhatIfResult = Type.Static<typeof WhatIfResult>;

const Point = Type.Object({
  events: Count,
  /** Shares of all reconnects that so many events serve whole: measured, and if they serve all whose need is not known. */
  served: Type.Number(),
  served_at_most: Type.Number(),
  /** Refusals that would have been whole replays. */
  refusals_avoided: Count,
  /** Room for one stream; null when no event's size is known. */
  bytes: Nullable(Count),
});

/** Answer of `GET /api/v1/servers/{name}/retention-advice`; `advice` is null when no reconnect asked the buffer for anything. */
export const RetentionResult = Type.Object({
  server: Type.String(),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  basis: Basis,
  advice: Nullable(
    Type.Object({
      measured: Count,
      censored: Count,
      measured_up_to: Count,
      kept_now: Nullable(Count),
      points: Type.Array(Point),
      knee: Point,
      config_line: Type.Union([Type.String(), Type.Null()]),
      censoring: Type.String(),
    }),
  ),
});
export type RetentionResult = Type.Static<typeof RetentionResult>;

/** Answer of `POST /api/v1/backtest`: what enforcement would have done to what the server did. */
export const BacktestResult = Type.Object({
  server: Type.String(),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  basis: Basis,
  attempts: Count,
  newly_refused: Count,
  still_refused: Count,
  over_refused: Count,
  still_resumed: Count,
  unverifiable: Count,
  not_applicable: Count,
  newly_refused_by_reason: Type.Record(Type.String(), Count),
  /** Ids of the newly refused attempts, at most a thousand. */
  items: Type.Array(Type.String()),
});
export type BacktestResult = Type.Static<typeof BacktestResult>;

const Side = Type.Object({
  kind: literals(['session', 'incident'] as const),
  id: Type.String(),
  records: Count,
  /** Place of the record that is aligned with the other side's. */
  aligned_at: Count,
});

/** Answer of `GET /api/v1/compare`: steps alike from the aligned ones on, and where the two part first. */
export const CompareResult = Type.Object({
  left: Side,
  right: Side,
  alike: Count,
  /** Null when neither departs from the other. `path` is that of the first member that differs; `length` when one ends first. */
  divergence: Nullable(
    Type.Object({ left_index: Count, right_index: Count, path: Type.String(), left: Type.Unknown(), right: Type.Unknown() }),
  ),
});
export type CompareResult = Type.Static<typeof CompareResult>;
