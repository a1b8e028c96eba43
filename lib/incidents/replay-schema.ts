import Type from 'typebox';
import { REASONS } from '@/lib/resume/types';
import { Count, Nullable } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

const VERDICTS = ['resume', 'refuse', 'fresh', 'not_applicable'] as const;

/** Requests a second to a target, at most and unless told otherwise. */
export const REPLAY_RATE = { most: 50, usual: 5 } as const;
/** How much faster than recorded. */
export const REPLAY_SPEED = { most: 10_000, usual: 10 } as const;

/** Answer of `GET /api/v1/incidents/{id}/replays`: what would be done again, and where that is allowed. */
export const ReplayPlan = Type.Object({
  sessions: Count,
  /** Connections opened, closed and resumed, as far as they can be done again. */
  steps: Count,
  resumes: Count,
  /** Calls: their arguments are not recorded, and to run one again could do harm. */
  calls_left_out: Count,
  /** From the first step to the last as recorded. */
  recorded_ms: Count,
  targets: Type.Array(Type.Object({ name: Type.String(), url: Type.String() })),
});
export type ReplayPlan = Type.Static<typeof ReplayPlan>;

const HEADER_VALUE = '^[\\x20-\\x7e]*$';

/** Body of `POST /api/v1/incidents/{id}/replays`. */
export const ReplayBody = Type.Object(
  {
    target: Type.String({ minLength: 1, maxLength: 200, description: 'the name of an allowed target' }),
    speed: Type.Optional(
      Type.Number({ minimum: 0.1, maximum: REPLAY_SPEED.most, description: `a number from 0.1 to ${REPLAY_SPEED.most}` }),
    ),
    rate: Type.Optional(Type.Number({ minimum: 0.1, maximum: REPLAY_RATE.most, description: `a number from 0.1 to ${REPLAY_RATE.most}` })),
    /** Sent with every request and kept nowhere. */
    authorization: Type.Optional(
      Type.String({ maxLength: 8_192, pattern: HEADER_VALUE, description: 'the value of an authorization header' }),
    ),
    confirm: Type.Optional(Type.Boolean({ description: 'true or false' })),
    actor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$', description: 'who does it, text of 1 to 200 characters' }),
    ),
  },
  { description: 'an object' },
);

/** A recorded resume beside what the target did now. */
export const ReplayedResume = Type.Object({
  /** Place of its record in the incident. */
  index: Count,
  recorded: Type.Object({ verdict: Type.String(), status: Nullable(Type.Integer()) }),
  /** What the rules say of the recorded facts; null when these leave more than one verdict open. */
  rules: Nullable(Type.Object({ verdict: literals(VERDICTS), reason: literals(REASONS) })),
  /** The cursor that was sent. */
  sent: Type.String(),
  /** False when the target's own id of the same event was sent. */
  is_recorded_cursor: Type.Boolean(),
  actual: Type.Object({
    verdict: literals(['resumed', 'refused', 'failed'] as const),
    status: Nullable(Type.Integer()),
    code: Nullable(Type.Integer()),
  }),
});
export type ReplayedResume = Type.Static<typeof ReplayedResume>;

/** Answer of `POST /api/v1/incidents/{id}/replays`. */
export const ReplayResult = Type.Object({
  target: Type.String(),
  resumes: Count,
  /** Resumes that ended as recorded, and resumes that the rules refuse. */
  as_recorded: Count,
  against_rules: Count,
  /** False when the time for a replay ran out before its last step. */
  is_whole: Type.Boolean(),
  items: Type.Array(ReplayedResume),
});
export type ReplayResult = Type.Static<typeof ReplayResult>;

/** What a replay tells on its way, beside each resume. */
export interface ReplayProgress {
  readonly done: number;
  readonly steps: number;
  readonly resume: ReplayedResume | null;
}
