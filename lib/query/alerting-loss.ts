import { MARK_CODES } from '@/db/codes';
import type { Sql } from '@/db/connect';

/** Whether an attempt (alias `a`) left events out that its client needed; the condition behind `events_lost`. */
export const isLossMark = (sql: Sql) => sql`a.mark in (${MARK_CODES.unsafe_resume}, ${MARK_CODES.bad_replay})`;
