import { randomUUID } from 'node:crypto';

/** One batch of attempts in both of its forms. */
export interface Batch {
  readonly lines: Buffer;
  readonly frame: string;
}

/** Batches as a fleet sends them: 200 servers, 5,000 sessions, most of them resumed rightly. */
export function batchesOf(records: number, perBatch: number): Batch[] {
  const made: Batch[] = [];
  for (let first = 0; first < records; first += perBatch) {
    const texts = Array.from({ length: Math.min(perBatch, records - first) }, (_, i) => JSON.stringify(attempt(first + i)));
    made.push({ lines: Buffer.from(texts.join('\n')), frame: `{"seq":${made.length},"records":[${texts.join(',')}]}` });
  }
  return made;
}

function attempt(i: number): object {
  const head = 1_000 + (i % 50_000);
  const cursor = head - (i % 97);
  const isLost = i % 50 === 0;
  const session = ((i * 2_654_435_761) >>> 0) % 5_000;
  return {
    type: 'resume_attempt',
    id: randomUUID(),
    at: Date.now() - (i % 60_000),
    server: `server-${session % 200}`,
    node: `node-${session % 400}`,
    session: `session-${session}`,
    generation: 3,
    requested_generation: 3,
    protocol_version: '2025-11-25',
    session_state: 'live',
    last_event_id: String(cursor),
    cursor,
    floor: isLost ? Math.min(cursor + 10, head + 1) : Math.max(0, head - 500),
    head,
    verdict: 'resumed',
    status: 200,
    replayed: { count: head - cursor },
    latency_ms: (i * 37) % 900,
    client: { name: 'bench', version: '1.4.2' },
  };
}
