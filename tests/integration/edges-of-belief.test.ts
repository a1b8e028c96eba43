import { afterAll, beforeAll, expect, test } from 'vitest';
import { postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { type Edge, startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';
import { openSocket } from './socket-client';

const DAY = 86_400_000;
const SECOND = 1_000;
const HOUR = 3_600_000;
let nowMs = Date.now();
const edge = edgeOfFile({ now: () => nowMs });
/** Another process, whose clock is behind by as much. */
let behindMs = 0;
let other: Edge;
beforeAll(async () => {
  other = await startEdge(edge.database.postgres.connection, { now: () => nowMs - behindMs });
});
afterAll(() => other?.stop());

const post = async (base: string, record: unknown) => (await postJson(`${base}/api/v1/telemetry`, record)).body;

async function storedAt(server: string): Promise<number[]> {
  const rows = await edge.sql<{ at: Date }[]>`
    select a.at from attempt a join server s on s.id = a.server_id where s.name = ${server}
    union all select r.at from record r join server s on s.id = r.server_id where s.name = ${server}`;
  return rows.map(({ at }) => at.getTime());
}

const EDGES = [
  // The first sending is not believed, and dated to its receipt; the one sent again would be.
  { name: 'a clock that is a day and 3 s ahead', fromNow: DAY + 3 * SECOND, first: 'receipt' },
  // The other way round.
  { name: 'a record of 400 days ago less 3 s', fromNow: 3 * SECOND - 400 * DAY, first: 'own' },
] as const;

test.each(EDGES)('$name: sent again 5 s later it is the same record', async ({ name, fromNow, first }) => {
  for (const [again, laterMs] of [5 * SECOND, HOUR - SECOND].entries()) {
    const server = `${name} ${again}`;
    const sentMs = nowMs;
    const record = attemptRecord({ server, at: sentMs + fromNow });
    expect(await post(edge.base, record)).toMatchObject({ accepted: 1, duplicate: 0, rejected: [] });
    nowMs += laterMs;
    expect(await post(edge.base, record)).toMatchObject({ accepted: 0, duplicate: 1, rejected: [] });
    expect(await storedAt(server)).toEqual([first === 'own' ? sentMs + fromNow : sentMs]);
  }
});

test.each(EDGES)(
  '$name: and also where the process that it is sent again to has a clock that is behind',
  async ({ name, fromNow, first }) => {
    behindMs = 5 * SECOND;
    const server = `${name}, another clock`;
    const sentMs = nowMs;
    // Taken the other way by this process, by the clock of the other one as before.
    const record = { type: 'boot', id: attemptRecord().id, server, generation: 1, at: sentMs - behindMs + fromNow };
    expect(await post(edge.base, record)).toMatchObject({ accepted: 1 });
    expect(await post(other.base, record)).toMatchObject({ accepted: 0, duplicate: 1, rejected: [] });
    expect(await storedAt(server)).toEqual([first === 'own' ? sentMs : record.at]);
  },
);

test('sent again over another door, in one batch, it is the same record too', async () => {
  const server = 'two doors';
  const record = attemptRecord({ server, at: nowMs + DAY + SECOND });
  expect(await post(edge.base, [record, record])).toMatchObject({ accepted: 1, duplicate: 1 });
  nowMs += 2 * SECOND;
  const socket = await openSocket(edge.base);
  socket.send({ seq: 1, records: [record] });
  expect(await socket.answer()).toMatchObject({ ack: 1, accepted: 0, duplicate: 1 });
  socket.socket.close();
  expect(await storedAt(server)).toHaveLength(1);
});

test('what is believed at any time is stored at its own instant, and nothing of it is remembered', async () => {
  const before = await edge.sql`select from undated_record`;
  const at = nowMs - 3 * DAY;
  expect(await post(edge.base, attemptRecord({ server: 'sure', at }))).toMatchObject({ accepted: 1 });
  expect(await storedAt('sure')).toEqual([at]);
  expect(await edge.sql`select from undated_record`).toHaveLength(before.length);
});
