import { describe, expect, test } from 'vitest';
import { NumberedRingStore } from '@/demo/servers/numbered-ring-store';
import { startV1Server } from '@/demo/servers/sdk-v1-server';
import { startV2Server } from '@/demo/servers/sdk-v2-server';
import { createAudit } from '@/lib/audit/audit';
import type { TelemetryRecord } from '@/lib/wire/schema';
import { guardResume, SessionEventLog, type Tidemark, type TidemarkOptions } from '../src/index.js';
import { connect, judgementOf, opened, resumeGet, startTelemetry, type Telemetry } from './stack';

const LINES = [
  { sdk: 'v1' as const, start: startV1Server },
  { sdk: 'v2' as const, start: startV2Server },
];

const startFlight = (options: Partial<TidemarkOptions> = {}) => startTelemetry({ recording: 'flight', sampleShare: 0, ...options });

const inLog = (tidemark: Tidemark) => (sessionId: string) =>
  tidemark.eventStore(new SessionEventLog({ sessionId, maxEvents: 5 }), { sessionId });

async function serve({ tidemark }: Telemetry, start: typeof startV1Server, openStore = inLog(tidemark)) {
  return opened(await start({ openStore, wrap: (handler) => guardResume(handler, { tidemark }) }));
}

const types = (records: readonly TelemetryRecord[]) => [...new Set(records.map(({ type }) => type))].sort();
function findings(records: readonly TelemetryRecord[]): string[] {
  const audit = createAudit();
  for (const [index, record] of records.entries()) audit.push(record, index);
  return audit.finish().findings.map(({ code }) => code);
}

/** The same when an hour has passed, as another session shows. */
const findingsLater = (records: readonly TelemetryRecord[]) =>
  findings([...records, { type: 'session', event: 'created', server: 'under-test', session: 'later', at: Date.now() + 3_600_000 }]);

describe.each(LINES)('on SDK $sdk', ({ sdk, start }) => {
  test('a session in which all goes well is told by its attempts, its beginning and its end', async () => {
    const telemetry = await startFlight();
    const { url } = await serve(telemetry, start as typeof startV1Server);
    const client = await connect(url, sdk);
    await client.call('work', { steps: 4, drop_at: 2 });
    await client.call('work', { steps: 2, drop_at: 99 });
    await client.end();
    const { receiver } = telemetry;
    await receiver.until(() => receiver.of('session').some((record) => record.event === 'ended'));
    expect(types(receiver.records)).toEqual(['boot', 'resume_attempt', 'session']);
    const [attempt] = receiver.of('resume_attempt');
    expect(attempt && judgementOf(attempt).assessment).toBe('correct');
    expect(attempt).toMatchObject({ withheld_before: expect.any(Number), client: { name: `client-${sdk}` } });
    expect(receiver.of('session').map((record) => record.withheld_after)).toEqual([true, true]);
    expect([findings(receiver.records), findingsLater(receiver.records), receiver.problems]).toEqual([[], [], []]);
  });

  test('many sessions that go on well for hours are found fault with by nobody', async () => {
    const telemetry = await startFlight();
    const { url } = await serve(telemetry, start as typeof startV1Server);
    for (let n = 0; n < 24; n++) telemetry.tidemark.eventStore(new SessionEventLog({ sessionId: `s${n}` }), { sessionId: `s${n}` });
    const client = await connect(url, sdk);
    for (let n = 0; n < 6; n++) await client.call('work', { steps: 4, drop_at: 2 });
    const { receiver } = telemetry;
    await receiver.until(() => receiver.of('resume_attempt').length === 6);
    expect([findingsLater(receiver.records), receiver.problems]).toEqual([[], []]);
  });

  test('a refusal has the history of its session told before it, and what follows', async () => {
    const telemetry = await startFlight();
    const { url } = await serve(telemetry, start as typeof startV1Server);
    const client = await connect(url, sdk);
    const bystander = await connect(url, sdk);
    await client.call('work', { steps: 9, drop_at: 99 });
    await bystander.call('work', { steps: 2, drop_at: 99 });
    const { response } = await resumeGet(url, client.sessionId ?? '', client.cursors[0] ?? '');
    expect(response.status).toBe(409);
    const { receiver } = telemetry;
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
    await client.call('work', { steps: 1, drop_at: 99 });
    await receiver.until(() => receiver.of('request').filter((request) => request.tool === 'work').length === 2);
    const refused = receiver.records.findIndex(({ type }) => type === 'resume_attempt');
    expect(types(receiver.records.slice(0, refused))).toEqual(expect.arrayContaining(['deliver', 'emit', 'evict', 'open', 'request']));
    const told = new Set(receiver.records.filter(({ type }) => type === 'emit').map(({ session }) => session));
    expect([...told]).toEqual([client.sessionId]);
    expect([findings(receiver.records), receiver.problems]).toEqual([[], []]);
  });
});

test('a silent gap is seen and told with its history, where nothing enforces the verdict', async () => {
  const telemetry = await startFlight();
  const { tidemark, receiver } = telemetry;
  const openStore = (sessionId: string) => {
    const ring = new NumberedRingStore(3);
    return tidemark.eventStore(ring, { sessionId, isRetained: (id) => ring.has(id) });
  };
  const { url } = opened(await startV1Server({ openStore, wrap: (handler) => guardResume(handler, { tidemark, enforce: false }) }));
  const client = await connect(url);
  await client.call('work', { steps: 8, drop_at: 2 });
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
  const [attempt] = receiver.of('resume_attempt');
  expect(attempt && judgementOf(attempt).assessment).toBe('unsafe_resume');
  expect(receiver.of('emit').length).toBeGreaterThan(8);
});

test('a request under a token that is gone is told at once', async () => {
  const telemetry = await startFlight();
  const { url } = await serve(telemetry, startV1Server);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': 'gone' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  expect(answer.status).toBe(404);
  await telemetry.receiver.until(() => telemetry.receiver.of('request').length === 1);
  expect(telemetry.receiver.of('request')[0]).toMatchObject({ session: 'gone', status: 404 });
});

test('a client that comes back to its standalone stream without a cursor has its session told', async () => {
  const telemetry = await startFlight();
  const { url } = await serve(telemetry, startV1Server);
  const client = await connect(url);
  await client.call('announce', { count: 2, drop: false });
  const headers = { accept: 'text/event-stream', 'mcp-session-id': client.sessionId ?? '', 'mcp-protocol-version': '2025-11-25' };
  await client.close();
  const again = async (): Promise<Response> => {
    const response = await fetch(url, { headers });
    // The server may not have seen the first connection end yet.
    return response.status === 409 ? again() : response;
  };
  await (await again()).body?.cancel();
  const { receiver } = telemetry;
  await receiver.until(() => receiver.of('open').filter((record) => record.method === 'GET' && record.status === 200).length >= 2);
  expect(receiver.of('deliver').filter((record) => record.stream === 'get').length).toBeGreaterThan(0);
});

test('a share of the sessions is told whole, the same ones by every replica with the same key', async () => {
  const [one, two] = [await startFlight({ sampleShare: 0.5 }), await startFlight({ sampleShare: 0.5 })];
  for (const { tidemark } of [one, two]) {
    for (let n = 0; n < 200; n++) {
      const store = tidemark.eventStore(new SessionEventLog({ sessionId: `session ${n}` }), { sessionId: `session ${n}` });
      await store.storeEvent('a', {});
    }
    await tidemark.flush();
  }
  const sessions = ({ receiver }: Telemetry) => receiver.of('emit').map((record) => record.session);
  expect(sessions(one)).toEqual(sessions(two));
  expect(sessions(one).length).toBeGreaterThan(60);
  expect(sessions(one).length).toBeLessThan(140);
});

test.each([-0.1, 1.1, Number.NaN])('a share of %f is refused', async (sampleShare) => {
  await expect(startFlight({ sampleShare })).rejects.toThrow(TypeError);
});
