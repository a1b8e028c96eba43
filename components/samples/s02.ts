import { emitRun, type Part, placeParts, type Sample } from '@/components/samples/sample';
import type { TelemetryRecord } from '@/lib/wire/schema';

const GENERATION = 1;

const id = (position: number) => `E_${position}`;
const idsOf = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => id(first + index));
const emit = (position: number): TelemetryRecord => ({
  type: 'emit',
  generation: GENERATION,
  event_id: id(position),
  position,
  kind: 'message',
});

const PARTS: readonly Part[] = [
  { after: 0, record: { type: 'session', event: 'created', generation: GENERATION } },
  { after: 400, record: { type: 'open', conn: 'c1', method: 'GET', status: 200, generation: GENERATION } },
  ...emitRun(1030, 1042, 2_000, 15_000, emit),
  { after: 15_200, record: { type: 'deliver', conn: 'c1', event_ids: idsOf(1030, 1042), generation: GENERATION } },
  { after: 16_200, record: { type: 'close', conn: 'c1', by: 'network', generation: GENERATION } },
  ...emitRun(1043, 1075, 17_300, 44_000, emit),
  { after: 45_100, record: { type: 'evict', event_ids: idsOf(1043, 1051), cause: 'memory', generation: GENERATION } },
  {
    after: 47_300,
    record: {
      type: 'resume_attempt',
      generation: GENERATION,
      protocol_version: '2025-11-25',
      conn: 'c2',
      last_event_id: 'E_1042',
      cursor: 1042,
      requested_generation: GENERATION,
      session_state: 'live',
      floor: 1030,
      head: 1075,
      holes: [[1043, 1051]],
      verdict: 'resumed',
      status: 200,
      replayed: { count: 24, first: 'E_1052', last: 'E_1075' },
    },
  },
  { after: 47_400, record: { type: 'deliver', conn: 'c2', event_ids: idsOf(1052, 1075), generation: GENERATION } },
  { after: 53_000, record: { type: 'close', conn: 'c2', by: 'client', generation: GENERATION } },
];

/** Seed incident S02: nine events evicted from the middle of a log, and the rest served as if it were whole. */
export const SAMPLE_S02: Sample = {
  id: 's02',
  server: 'sample-s02',
  title: 'A hole in the log, served as whole',
  story:
    'Nine events after cursor 1042 were evicted under memory pressure while the client was away. The server replayed 1052 to 1075 and let the client believe that it had caught up.',
  records: (startMs, token, newId) => placeParts(PARTS, 'sample-s02', startMs, token, newId),
};
