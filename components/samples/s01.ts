import { emitRun, type Part, placeParts, type Sample } from '@/components/samples/sample';
import type { TelemetryRecord } from '@/lib/wire/schema';

const PROTOCOL = '2025-11-25';

const emit = (position: number, generation: number): TelemetryRecord => ({
  type: 'emit',
  generation,
  event_id: String(position),
  position,
  kind: 'message',
  rpc: { type: 'notification', method: methodOf(position) },
});

function methodOf(position: number): string {
  if (position === 1041 || position === 1099) return 'notifications/tools/list_changed';
  return position < 1041 ? 'notifications/message' : 'notifications/progress';
}

const resume = (conn: string): TelemetryRecord => ({
  type: 'resume_attempt',
  generation: 2,
  protocol_version: PROTOCOL,
  conn,
  last_event_id: '1040',
  cursor: 1040,
  requested_generation: 1,
  session_state: 'live',
  floor: 1000,
  head: 1099,
  holes: [],
  verdict: 'resumed',
  status: 200,
  replayed: { count: 59, first: '1041', last: '1099' },
});

const PARTS: readonly Part[] = [
  { after: 0, record: { type: 'boot', generation: 1 } },
  { after: 900, record: { type: 'session', event: 'created', generation: 1 } },
  { after: 1_000, record: { type: 'open', conn: 'c1', method: 'GET', status: 200, generation: 1 } },
  ...emitRun(1000, 1099, 2_000, 52_000, (position) => emit(position, 1)),
  { after: 52_100, record: { type: 'deliver', conn: 'c1', range: [1000, 1099], generation: 1 } },
  { after: 60_900, record: { type: 'close', conn: 'c1', by: 'network', generation: 1 } },
  { after: 61_900, record: { type: 'boot', generation: 2 } },
  { after: 62_900, record: { type: 'session', event: 'restored', generation: 2, head: 1099 } },
  { after: 64_900, record: resume('c2') },
  { after: 65_000, record: { type: 'deliver', conn: 'c2', range: [1041, 1099], generation: 2 } },
  { after: 65_300, record: { type: 'close', conn: 'c2', by: 'network', generation: 2 } },
  { after: 70_400, record: resume('c3') },
  { after: 70_500, record: { type: 'deliver', conn: 'c3', range: [1041, 1099], generation: 2 } },
  { after: 74_000, record: emit(1100, 2) },
  { after: 74_100, record: { type: 'deliver', conn: 'c3', event_ids: ['1100'], generation: 2 } },
];

/** Seed incident S01: after a restart under the same token, cursors of the former numbering were resumed. */
export const SAMPLE_S01: Sample = {
  id: 's01',
  server: 'sample-s01',
  title: 'Same token, new generation',
  story:
    'A rolling restart rebuilt a session under its old token. Two reconnects with cursor 1040, in range of both numberings, were each served 59 events of the former generation.',
  records: (startMs, token, newId) => placeParts(PARTS, 'sample-s01', startMs, token, newId),
};
