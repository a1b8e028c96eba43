import Type from 'typebox';
import { REASONS } from '@/lib/resume/types';
import { Count, Instant } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

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
