import { randomUUID } from 'node:crypto';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { guardResume, SessionEventLog } from '../src/index.js';
import { judgementOf, startTelemetry } from './stack';

const JSON_AND_SSE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A web handler on the SDK's own web-standard transport, initialized; its session answers requests by SSE. */
async function startWeb(maxEvents: number) {
  const { receiver, tidemark } = await startTelemetry();
  const sessionId = randomUUID();
  const log = new SessionEventLog({ sessionId, maxEvents });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => sessionId,
    eventStore: tidemark.eventStore(log, { sessionId }),
  });
  const server = new McpServer({ name: 'web', version: '1' }, { capabilities: { logging: {} } });
  await server.connect(transport);
  const handler = guardResume((request: Request) => transport.handleRequest(request), { tidemark });
  const post = (message: unknown, headers: Record<string, string> = {}) => {
    const body = JSON.stringify(message);
    return handler(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        body,
        headers: { ...JSON_AND_SSE, 'content-length': String(body.length), ...headers },
      }),
    );
  };
  const session = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' };
  const initialized = await post({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'web-client', version: '7' } },
  });
  await initialized.text();
  await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)).text();
  const get = (lastEventId?: string) =>
    handler(
      new Request('http://127.0.0.1/mcp', {
        headers: { accept: 'text/event-stream', ...session, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
      }),
    );
  return { receiver, tidemark, server, log, get };
}

/** The ids of the first `count` events of a stream that stays open. */
async function readIds(response: Response, count: number): Promise<string[]> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.split('\n\n').length <= count) text += decoder.decode((await reader?.read())?.value);
  await reader?.cancel();
  return [...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
}

test('a web handler resumes whole, with the headers of the contract', async () => {
  const { receiver, server, get } = await startWeb(10);
  const stream = await get();
  await server.server.sendLoggingMessage({ level: 'info', data: 'a' });
  const [first = ''] = await readIds(stream, 1);
  await server.server.sendLoggingMessage({ level: 'info', data: 'b' });
  const resumed = await get(first);
  expect([resumed.status, resumed.headers.get('tidemark-resumed-from'), resumed.headers.get('tidemark-replayed')]).toEqual([200, '1', '1']);
  expect(await readIds(resumed, 1)).toHaveLength(1);
  await receiver.until(() => receiver.of('close').filter((record) => record.stream === 'get').length === 2);
  const [attempt] = receiver.of('resume_attempt');
  expect(attempt).toMatchObject({ client: { name: 'web-client', version: '7' }, replayed: { count: 1 }, status: 200 });
  expect(attempt && judgementOf(attempt).assessment).toBe('correct');
  expect(receiver.of('close').at(-1)).toMatchObject({ by: 'client' });
});

test('a web handler refuses below the floor, without asking the transport', async () => {
  const { receiver, server, log, get } = await startWeb(2);
  const stream = await get();
  for (const data of ['a', 'b', 'c', 'd']) await server.server.sendLoggingMessage({ level: 'info', data });
  const [first = ''] = await readIds(stream, 4);
  const refused = await get(first);
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: { code: -32010, data: { reason: 'below_floor', missing: 1, earliest_retained_id: log.floorId() } } },
  ]);
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
});

test('a request of a revision without resumption passes untouched and is told as not applicable', async () => {
  const { tidemark, receiver } = await startTelemetry();
  const handler = guardResume(async (request: Request) => new Response(request.headers.get('last-event-id')), { tidemark });
  const headers = { 'last-event-id': 'left-over', 'mcp-protocol-version': '2026-07-28', 'mcp-session-id': 'x' };
  const answer = await handler(new Request('http://127.0.0.1/mcp', { headers }));
  expect([answer.status, await answer.text()]).toEqual([200, 'left-over']);
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
  const [attempt] = receiver.of('resume_attempt');
  expect(attempt && judgementOf(attempt).assessment).toBe('not_applicable');
});

test('a guard that knows no session claims nothing about one, and lets the server answer', async () => {
  const { tidemark, receiver } = await startTelemetry();
  const handler = guardResume(async (_request: Request) => new Response(null, { status: 405 }), { tidemark });
  const headers = { 'last-event-id': 'e1', 'mcp-session-id': 'x', 'mcp-protocol-version': '2025-11-25' };
  expect((await handler(new Request('http://127.0.0.1/mcp', { headers }))).status).toBe(405);
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
  const [attempt] = receiver.of('resume_attempt');
  expect([attempt?.session_state, attempt?.cursor, attempt?.status]).toEqual([undefined, undefined, 405]);
});
