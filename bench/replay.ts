import { parseArgs } from 'node:util';
import { createTimeline } from '@/lib/replay/timeline';
import type { TelemetryRecord } from '@/lib/wire/schema';

/**
 * Opening and seeking a long incident (limits of the timeline: open under 2 s, seek under 50 ms), each beside a
 * replay from the first record in the same run.
 */
const { values } = parseArgs({ options: { records: { type: 'string', default: '100000' } } });
const RECORDS = Number(values.records);
const SEEKS = 500;

const histories: Record<string, (n: number) => TelemetryRecord> = {
  'one stream, ids are numbers': (n) =>
    n % 3 === 0
      ? { type: 'emit', event_id: `E_${n}` }
      : n % 3 === 1
        ? deliver(`c${n % 7}`, `E_${n - 1}`)
        : { type: 'evict', floor: `E_${Math.max(0, n - 900)}` },
  'one stream, random ids': (n) => (n % 2 === 0 ? { type: 'emit', event_id: randomId(n) } : deliver(`c${n % 5}`, randomId(n - 1))),
  'holes everywhere': (n) =>
    n % 2 === 0 ? { type: 'emit', event_id: String(n) } : { type: 'evict', event_ids: [String(n - 1 - (n % 500))] },
  '2,000 open connections': (n) => (n % 2 === 0 ? { type: 'emit', event_id: String(n) } : deliver(`c${n % 4000}`, String(n - 1))),
  'a stream per call': (n) => ({ type: 'emit', stream: `p${n >> 2}`, event_id: `p${n >> 2}_${n & 3}` }),
};

let failed = false;
for (const [name, recordAt] of Object.entries(histories)) {
  const records = Array.from({ length: RECORDS }, (_, n) => recordAt(n));
  const opened = timed(() => createTimeline(records));
  const timeline = opened.value;
  let slowest = 0;
  let total = 0;
  for (let seek = 0; seek < SEEKS; seek++) {
    const { ms } = timed(() => timeline.stateAt((seek * 48_271 + 17) % RECORDS));
    slowest = Math.max(slowest, ms);
    total += ms;
  }
  const isWithin = opened.ms < 2000 && slowest < 50;
  failed ||= !isWithin;
  console.log(
    `${isWithin ? 'ok  ' : 'SLOW'} ${name}: open ${opened.ms.toFixed(0)} ms, seek mean ${(total / SEEKS).toFixed(3)} ms, slowest ${slowest.toFixed(1)} ms, ` +
      `a replay from the first record costs ${(opened.ms / (total / SEEKS)).toFixed(0)} seeks`,
  );
}
process.exitCode = failed ? 1 : 0;

function deliver(conn: string, id: string): TelemetryRecord {
  return { type: 'deliver', conn, event_ids: [id] };
}

function randomId(n: number): string {
  return `${((n * 2_654_435_761) >>> 0).toString(16)}-x${n.toString(36)}z`;
}

function timed<T>(work: () => T): { value: T; ms: number } {
  const start = performance.now();
  const value = work();
  return { value, ms: performance.now() - start };
}
