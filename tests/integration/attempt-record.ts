import { randomUUID } from 'node:crypto';

/** A resume attempt that lost one event in silence, but for the members given. */
export function attemptRecord(members: Record<string, unknown> = {}): Record<string, unknown> & { id: string } {
  return {
    type: 'resume_attempt',
    id: randomUUID(),
    at: Date.now(),
    server: 'alpha',
    session: 'token-1',
    generation: 3,
    requested_generation: 3,
    session_state: 'live',
    last_event_id: '1041',
    cursor: 1041,
    floor: 1043,
    head: 1100,
    verdict: 'resumed',
    status: 200,
    ...members,
  };
}
