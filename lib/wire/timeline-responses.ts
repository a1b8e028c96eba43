import Type from 'typebox';
import { Count, Instant, Nullable } from '@/lib/wire/answer-parts';
import { Position } from '@/lib/wire/schema';

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
