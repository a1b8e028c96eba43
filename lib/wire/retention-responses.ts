import Type from 'typebox';
import { Count, Nullable } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

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
/** What a retention would remove now, counted; `is_estimate` where there is too much to be counted exactly. */
export const RetentionPlanBody = Type.Object({
  records_days: Count,
  rollups_days: Count,
  attempts: Count,
  records: Count,
  rollup_rows: Count,
  is_estimate: Type.Boolean(),
  bytes: Count,
  days: Type.Array(Type.String({ format: 'date' })),
});
export type RetentionPlanBody = Type.Static<typeof RetentionPlanBody>;
