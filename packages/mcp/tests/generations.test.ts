import { describe, expect, test } from 'vitest';
import { NumberedRingStore } from '@/demo/servers/numbered-ring-store';
import { postMessage, restoreSession, toolCall } from '@/demo/servers/restore-session';
import { startV1Server } from '@/demo/servers/sdk-v1-server';
import { guardResume, SessionEventLog, type Tidemark } from '../src/index.js';
import type { RecordingReceiver } from './recording-receiver';
import { connect, judgementOf, opened, resumeGet, startTelemetry } from './stack';

interface Incarnation {
  readonly generation: string;
  readonly restoredFrom?: string;
  readonly stampIds?: boolean;
  readonly enforce?: boolean;
}

/** One process life of a server that numbers its events from 1 and keeps its sessions, not its events. */
async function startIncarnation({ generation, restoredFrom, stampIds = false, enforce = true }: Incarnation) {
  const { receiver, tidemark } = await startTelemetry({ generation });
  const openStore = (sessionId: string, isRestored: boolean) => {
    const ring = new NumberedRingStore(50);
    return tidemark.eventStore(ring, {
      sessionId,
      stampIds,
      isRetained: (id) => ring.has(id),
      ...(isRestored && restoredFrom !== undefined ? { restoredFrom } : {}),
    });
  };
  const { url } = opened(await startV1Server({ openStore, wrap: (handler) => guardResume(handler, { tidemark, enforce }) }));
  return { url, receiver, tidemark };
}

/** The newest event id that went out on the standalone stream. */
async function newestOnGet(receiver: RecordingReceiver, count: number): Promise<string> {
  const ids = () =>
    receiver
      .of('deliver')
      .filter((record) => record.stream === 'get')
      .flatMap((record) => record.event_ids ?? []);
  await receiver.until(() => ids().length >= count);
  return String(ids().at(-1));
}

/** A first life in which a client saw two events, and a second one that has issued the same numbers again. */
async function restartUnderClient(first: Incarnation, second: Incarnation) {
  const before = await startIncarnation(first);
  const client = await connect(before.url);
  await before.receiver.until(() => before.receiver.of('open').some((record) => record.method === 'GET'));
  await client.call('announce', { count: 2, drop: false });
  const cursor = await newestOnGet(before.receiver, 2);
  const sessionId = client.sessionId ?? '';
  await client.close();

  const after = await startIncarnation(second);
  await restoreSession(after.url, sessionId);
  await postMessage(after.url, sessionId, toolCall(7, 'announce', { count: 9, drop: false }));
  return { ...after, cursor, sessionId };
}

describe('a restart that numbers anew under the same session', () => {
  test.each([
    { name: 'told by what was never delivered in this life', stampIds: false },
    { name: 'told by the stamp on the id', stampIds: true },
  ])('is refused although the number is in range, $name', async ({ stampIds }) => {
    const { url, receiver, cursor, sessionId } = await restartUnderClient(
      { generation: 'A', stampIds },
      { generation: 'B', restoredFrom: 'A', stampIds },
    );
    const { response } = await resumeGet(url, sessionId, cursor);
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { error: { code: -32010, data: { reason: 'generation_mismatch', generation: 'B', next_step: 'reinitialize' } } },
    ]);
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
    const [attempt] = receiver.of('resume_attempt');
    expect(attempt).toMatchObject({ generation: 'B', requested_generation: 'A', verdict: 'refused', status: 409 });
    expect(attempt && judgementOf(attempt)).toMatchObject({ assessment: 'correct', decision: { reason: 'generation_mismatch' } });
    expect(receiver.of('session').map((record) => record.event)).toEqual(['restored', 'evicted']);
    expect(receiver.of('boot')).toMatchObject([{ generation: 'B', node: 'n1' }]);
  });

  test('is seen as an unsafe resume where nothing enforces the verdict', async () => {
    const { url, receiver, cursor, sessionId } = await restartUnderClient(
      { generation: 'A' },
      { generation: 'B', restoredFrom: 'A', enforce: false },
    );
    const { response, leave } = await resumeGet(url, sessionId, cursor);
    await leave();
    expect(response.status).toBe(200);
    expect(response.headers.get('tidemark-generation')).toBeNull();
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
    const [attempt] = receiver.of('resume_attempt');
    expect(attempt && judgementOf(attempt)).toMatchObject({ assessment: 'unsafe_resume', decision: { reason: 'generation_mismatch' } });
  });

  test('fences the session: later requests get 404 until a new initialize', async () => {
    const { url, cursor, sessionId } = await restartUnderClient({ generation: 'A' }, { generation: 'B', restoredFrom: 'A' });
    const ping = { jsonrpc: '2.0', id: 8, method: 'ping' };
    expect((await postMessage(url, sessionId, ping)).status).toBe(200);
    await (await resumeGet(url, sessionId, cursor)).leave();
    const fenced = await postMessage(url, sessionId, ping);
    expect([fenced.status, JSON.parse(fenced.text)]).toMatchObject([404, { error: { code: -32001, data: { type: 'session_gone' } } }]);
    expect((await resumeGet(url, sessionId, cursor)).response.status).toBe(404);
    const client = await connect(url);
    expect((await postMessage(url, client.sessionId ?? '', ping)).status).toBe(200);
    await restoreSession(url, sessionId);
    expect((await postMessage(url, sessionId, ping)).status).toBe(200);
  });

  test('a cursor that was delivered in the new life is of the new life', async () => {
    const { url, receiver, sessionId } = await restartUnderClient({ generation: 'A' }, { generation: 'B', restoredFrom: 'A' });
    const stream = await fetch(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': sessionId } });
    await postMessage(url, sessionId, toolCall(9, 'announce', { count: 1, drop: false }));
    const cursor = await newestOnGet(receiver, 1);
    await stream.body?.cancel();
    await receiver.until(() => receiver.of('close').some((record) => record.by === 'client'));
    const { response, leave } = await resumeGet(url, sessionId, cursor);
    await leave();
    expect([response.status, response.headers.get('tidemark-generation')]).toEqual([200, 'B']);
  });

  test('a log of one session that is opened again refuses the ids of the one before', async () => {
    const { receiver, tidemark } = await startTelemetry();
    const open = (sessionId: string) => tidemark.eventStore(new SessionEventLog({ sessionId }), { sessionId });
    const { url } = opened(await startV1Server({ openStore: open, wrap: (handler) => guardResume(handler, { tidemark }) }));
    const client = await connect(url);
    await client.call('work', { steps: 2, drop_at: 99 });
    const sessionId = client.sessionId ?? '';
    await restoreSession(url, sessionId);
    const { response } = await resumeGet(url, sessionId, client.cursors[0] ?? '');
    expect(await response.json()).toMatchObject({ error: { data: { reason: 'generation_mismatch' } } });
    await receiver.until(() => receiver.of('resume_attempt').length === 1);
    expect(receiver.of('session').map((record) => record.event)).toEqual(['created', 'superseded', 'created', 'evicted']);
  });
});

describe('generations of one process', () => {
  const start = (tidemark: Tidemark, sessionId: string) => tidemark.eventStore(new NumberedRingStore(5), { sessionId });

  test('a token that is used again is a generation of its own, and an id of both is told by delivery', async () => {
    const { receiver, tidemark } = await startTelemetry({ generation: 'A' });
    await start(tidemark, 's1').storeEvent('_GET_stream', {});
    await start(tidemark, 's1').storeEvent('_GET_stream', {});
    await start(tidemark, 's2').storeEvent('_GET_stream', {});
    await tidemark.flush();
    expect(receiver.of('emit').map((record) => [record.session, record.generation])).toEqual([
      ['s1', 'A'],
      ['s1', 'A-2'],
      ['s2', 'A'],
    ]);
  });

  test('the store may be opened before its token is known', async () => {
    const { receiver, tidemark } = await startTelemetry();
    let token: string | undefined;
    const store = tidemark.eventStore(new NumberedRingStore(5), { sessionId: () => token });
    await store.storeEvent('a', {});
    token = 'late';
    await store.storeEvent('a', {});
    await tidemark.flush();
    expect(receiver.of('emit').map((record) => [record.session, record.event_id])).toEqual([['late', '2']]);
  });
});
