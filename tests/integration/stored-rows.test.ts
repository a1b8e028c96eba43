import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();
const MAX = '9223372036854775807';
const AT = Date.now() - 61_001;

/** Text of every width in UTF-8, and what COPY's text format would have to escape. */
const WORDS = 'tab\there, line\nbreak, back\\slash, \\N, ümlaut, 漢字, 🌊';

test('every field of an attempt is stored as it was sent, at the ends of its type and where it is absent', async () => {
  const server = `fields-${randomUUID()}`;
  const full = attemptRecord({
    server,
    at: AT,
    node: 'knoten-ü',
    session: 'a session',
    generation: 'gen-漢',
    requested_generation: 'gen-漢',
    stream: 'POST 🌊',
    protocol_version: '2025-11-25',
    last_event_id: MAX,
    cursor: MAX,
    floor: 0,
    head: MAX,
    status: 200,
    latency_ms: 0.125,
    client: { name: 'probe', version: '1' },
    note: WORDS,
  });
  const bare = { type: 'resume_attempt', id: randomUUID(), server, at: AT + 1, verdict: 'failed' };
  expect((await postJson(`${edge.base}/api/v1/telemetry`, [full, bare])).status).toBe(202);
  const rows = await edge.sql`
    select a.id, extract(epoch from a.at) * 1000 = ${AT} as is_at, n.name as node, c.name as client, a.session_ref is null as has_no_session, a.generation,
      a.requested_generation, a.stream, a.protocol_version, a.cursor::text, a.floor::text, a.head::text, a.status, a.latency_ms, a.verdict is null as is_open,
      a.lead::text, a.body::json ->> 'note' as note, a.received_at - a.at between interval '1 minute' and interval '1 hour' as is_received,
      a.place / 1048576 as batch, a.place % 1048576 as index, a.judged_by, a.arrival > 1700000000000000 as is_arrival
    from attempt a join server s on s.id = a.server_id left join node n on n.id = a.node_id left join client c on c.id = a.client_id
    where s.name = ${server} order by a.at`;
  const shared = { is_received: true, judged_by: 0, is_arrival: true };
  expect(rows).toMatchObject([
    {
      ...shared,
      id: full.id,
      is_at: true,
      node: 'knoten-ü',
      client: 'probe/1',
      has_no_session: false,
      generation: 'gen-漢',
      requested_generation: 'gen-漢',
      stream: 'POST 🌊',
      protocol_version: '2025-11-25',
      cursor: MAX,
      floor: '0',
      head: MAX,
      status: 200,
      latency_ms: 0.125,
      is_open: false,
      // One more than a bigint can say.
      lead: MAX,
      note: WORDS,
      index: 0n,
    },
    {
      ...shared,
      id: bare.id,
      is_at: false,
      node: null,
      client: null,
      has_no_session: true,
      generation: null,
      requested_generation: null,
      stream: null,
      protocol_version: null,
      cursor: null,
      floor: null,
      head: null,
      status: null,
      latency_ms: null,
      lead: null,
      note: null,
      index: 1n,
    },
  ]);
  expect(rows[0]?.['batch']).toBe(rows[1]?.['batch']);
  const summary = await call(`${edge.base}/api/v1/summary?server=${server}&from=${AT - 1}&to=${AT + 2}`);
  expect(summary).toMatchObject({ status: 200, body: { totals: { attempts: 2 } } });
  const hour =
    await edge.sql`select lead_min::text from server_hour h join server s on s.id = h.server_id where s.name = ${server} and lead_min is not null`;
  expect(hour).toEqual([{ lead_min: MAX }]);
});

test('rows of every length come through whole, however they lie in what is sent to Postgres', async () => {
  const server = `lengths-${randomUUID()}`;
  const lengths = [...Array.from({ length: 300 }, (_, i) => i * 37), 8_191, 8_192, 65_400, 65_536, 65_537, 200_000];
  const records = lengths.flatMap((length, i) => [
    attemptRecord({ server, at: AT, note: 'ü🌊x'.repeat(length / 4), n: i }),
    { type: 'boot', id: randomUUID(), server, at: AT, note: '漢'.repeat(length / 3), n: i },
  ]);
  expect((await postJson(`${edge.base}/api/v1/telemetry`, records)).body).toMatchObject({ accepted: records.length });
  const bodies = await edge.sql<{ body: string }[]>`
    select body from (select body, place, server_id from attempt union all select body, place, server_id from record) r
    join server s on s.id = r.server_id where s.name = ${server} order by place`;
  const kept = records.map(({ session: _token, ...record }: Record<string, unknown>) => record);
  expect(bodies.map(({ body }) => JSON.parse(body) as unknown)).toEqual(kept);
});
