import { newId } from '@/components/samples/new-id';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** A resume that loses three events, which its server served as if it were whole. */
export const unsafeResume = (server: string, session: string, at: number): TelemetryRecord => ({
  type: 'resume_attempt',
  id: newId(),
  at: new Date(at).toISOString(),
  server,
  session,
  conn: newId(),
  generation: 1,
  requested_generation: 1,
  session_state: 'live',
  last_event_id: '6',
  cursor: 6,
  floor: 10,
  head: 20,
  holes: [],
  verdict: 'resumed',
  status: 200,
});
