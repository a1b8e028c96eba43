import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { AttemptPage, Series, ServerDetail, SessionFacets, SessionPage } from '@/lib/wire/responses';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();
const send = async (records: Record<string, unknown>[]): Promise<void> => {
  expect(await postJson(`${edge.base}/api/v1/telemetry`, records)).toMatchObject({ status: 202, body: { accepted: records.length } });
};

/** Answers must be what the OpenAPI document says of them. */
const read = async (path: string, schema: TSchema): Promise<Record<string, unknown>> => {
  const reply = await call(`${edge.base}${path}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect([...Compile(schema).Errors(reply.body)], JSON.stringify(reply.body)).toEqual([]);
  return reply.body;
};

const at = (second: number) => Date.now() - 600_000 + second * 1_000;
const refusal = (server: string, session: string, second: number, cursor: number | null, client: string) =>
  attemptRecord({
    server,
    session,
    at: at(second),
    cursor,
    last_event_id: cursor === null ? null : String(cursor),
    verdict: cursor === null ? 'fresh' : 'refused',
    status: cursor === null ? 200 : 409,
    reason: cursor === null ? 'no_cursor' : 'below_floor',
    client: { name: client, version: '1' },
  });

test('what clients do after a refusal is told by client', async () => {
  const server = 'sequels';
  const loops = [0, 1, 2, 3].map((second) => refusal(server, 'loop', second, 7, 'looper'));
  const other = [refusal(server, 'other', 10, 7, 'walker'), refusal(server, 'other', 11, 8, 'walker')];
  const fresh = [refusal(server, 'fresh', 20, 7, 'starter'), refusal(server, 'fresh', 21, null, 'starter')];
  const request = { type: 'request', server, session: 'on', at: at(31), conn: 'p', rpc: { method: 'tools/call', id: 1 }, status: 200 };
  const wentOn = [refusal(server, 'on', 30, 7, 'worker'), request];
  await send([...loops, ...other, ...fresh, ...wentOn]);
  const detail = await read(`/api/v1/servers/${server}`, ServerDetail);
  const clients = detail['clients'] as { client: string; after_refusal: Record<string, number> }[];
  const after = Object.fromEntries(
    clients.map(({ client, after_refusal: counts }) => [
      client,
      Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ]),
  );
  expect(after).toEqual({
    'looper/1': { looped: 1, retried: 2, unknown: 1 },
    'walker/1': { other_cursor: 1, unknown: 1 },
    'starter/1': { dropped_cursor: 1 },
    'worker/1': { went_on: 1 },
  });
});

test('a client that begins anew after a refusal is told from one that hangs, as far as the records tell', async () => {
  const server = 'sequels elsewhere';
  const created = (session: string, second: number, principal: string | null) => ({
    type: 'session',
    event: 'created',
    server,
    session,
    at: at(second),
    principal,
  });
  const sent = (session: string, type: string, second: number) => ({ type, server, session, at: at(second), conn: 'x', by: 'server' });
  await send([
    created('a1', 0, 'alice'),
    created('b1', 1, 'bob'),
    created('c1', 2, 'anonymous'),
    refusal(server, 'a1', 10, 7, 'starter'),
    sent('a1', 'close', 11),
    created('a2', 20, 'alice'),
    refusal(server, 'b1', 30, 7, 'hanger'),
    sent('b1', 'close', 31),
    refusal(server, 'c1', 400, 7, 'riddle'),
    created('d1', 410, 'anonymous'),
    sent('d1', 'open', 590),
  ]);
  const detail = await read(`/api/v1/servers/${encodeURIComponent(server)}`, ServerDetail);
  const clients = detail['clients'] as { client: string; after_refusal: Record<string, number> }[];
  const told = clients.map(({ client, after_refusal: counts }) => [client, Object.keys(counts).filter((key) => counts[key] !== 0)]);
  expect(Object.fromEntries(told)).toEqual({
    'starter/1': ['reinitialized'],
    'hanger/1': ['hung'],
    'riddle/1': ['unknown'],
  });
});

test('a server tells its retention, generations, boots, revisions, nodes and id shapes', async () => {
  const server = 'detail of one';
  const resume = (second: number, members: Record<string, unknown>) =>
    attemptRecord({
      server,
      session: `s${second}`,
      at: at(second),
      floor: 1,
      head: 100,
      node: 'n1',
      protocol_version: '2025-11-25',
      ...members,
    });
  await send([
    { type: 'boot', server, node: 'n1', generation: 4, at: at(0) },
    resume(1, { cursor: 90, last_event_id: 'E_90', generation: 3, requested_generation: 3 }),
    resume(2, { cursor: 80, last_event_id: 'E_80', generation: 4, requested_generation: 4 }),
    resume(3, { cursor: 1, last_event_id: 'plain', floor: 51, generation: 4, requested_generation: 4, protocol_version: '2026-07-28' }),
  ]);
  const detail = await read(`/api/v1/servers/${encodeURIComponent(server)}`, ServerDetail);
  expect(detail).toMatchObject({
    server,
    attempts_read: 3,
    is_whole: true,
    totals: { attempts: 3, sessions: 3, nodes: 1 },
    nodes: [{ node: 'n1', records: 4 }],
    generations: [
      { generation: '3', attempts: 1 },
      { generation: '4', attempts: 2 },
    ],
    boots: [{ node: 'n1', generation: '4' }],
    retention: { kept_min: 50, kept_median: 100, needed_median: 20, needed_p95: 99, needed_max: 99, measured: 3 },
    eras: [
      { protocol_version: '2025-11-25', attempts: 2 },
      { protocol_version: '2026-07-28', attempts: 1 },
    ],
    id_shapes: [
      { shape: 'E_\0', attempts: 2 },
      { shape: null, example: 'plain', attempts: 1 },
    ],
  });
});

test('a server that is known but was not heard of in the period has no totals; an unknown one is not found', async () => {
  await send([attemptRecord({ server: 'quiet', at: at(0) })]);
  const detail = await read('/api/v1/servers/quiet?from=2020-01-01&to=2020-01-02', ServerDetail);
  expect(detail).toMatchObject({ totals: null, attempts_read: 0, clients: [], generations: [] });
  expect(await call(`${edge.base}/api/v1/servers/nobody`)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
});

test('bounds of the gap restrict lists and charts alike', async () => {
  const server = 'gaps';
  const missing = (count: number) =>
    attemptRecord({ server, session: `g${count}`, at: at(count), floor: 1042 + count, cursor: 1041, head: 1100 });
  await send([1, 5, 10].map(missing));
  const gaps = async (query: string) => {
    const { items } = await read(`/api/v1/attempts?server=${server}&${query}`, AttemptPage);
    return (items as { decision: { gap: { count: number } } }[]).map(({ decision }) => decision.gap.count);
  };
  expect(await gaps('gap_min=5')).toEqual([10, 5]);
  expect(await gaps('gap_max=5')).toEqual([5, 1]);
  expect(await gaps('gap_min=2&gap_max=9')).toEqual([5]);
  const { points } = await read(`/api/v1/series?server=${server}&gap_min=5&by=mark&step=3600`, Series);
  const total = (points as { counts: Record<string, number> }[]).reduce((sum, { counts }) => sum + (counts['unsafe_resume'] ?? 0), 0);
  expect(total).toBe(2);
  expect(await call(`${edge.base}/api/v1/attempts?gap_min=x`)).toMatchObject({ status: 400, body: { error: { path: 'gap_min' } } });
});

test('the counts beside the list of sessions are those of the list', async () => {
  const server = 'counted';
  await send([
    attemptRecord({ server, session: 'unsafe', at: at(0) }),
    attemptRecord({ server, session: 'well', at: at(1), cursor: 1099, last_event_id: '1099' }),
  ]);
  const { items } = await read(`/api/v1/sessions?server=${server}`, SessionPage);
  const facets = await read(`/api/v1/sessions/facets?server=${server}`, SessionFacets);
  expect(facets).toEqual({ total: (items as unknown[]).length, unsafe: 1, servers: [{ server, sessions: 2 }] });
  expect(await read(`/api/v1/sessions/facets?server=${server}&unsafe=true`, SessionFacets)).toMatchObject({ total: 1 });
  expect(await read(`/api/v1/sessions/facets?server=${server}&unsafe=false`, SessionFacets)).toMatchObject({ total: 1, unsafe: 0 });
});
