import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'mcp-sdk-1-20/server/index.js';
import { StreamableHTTPServerTransport } from 'mcp-sdk-1-20/server/streamableHttp.js';
import { expect, test } from 'vitest';
import { createAudit } from '@/lib/audit/audit';
import { guardResume, SessionEventLog, type TidemarkOptions } from '../src/index.js';
import { judgementOf, opened, startTelemetry } from './stack';

const JSON_AND_SSE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

/** The oldest SDK that is supported, which answers a resume with 200 before it asks its store for the replay. */
async function startOldest(options: Partial<TidemarkOptions> = {}) {
  const { receiver, tidemark } = await startTelemetry(options);
  const sessionId = randomUUID();
  const log = new SessionEventLog({ sessionId, maxEvents: 3 });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => sessionId,
    eventStore: tidemark.eventStore(log, { sessionId }),
  });
  const mcp = new Server({ name: 'oldest', version: '1' }, { capabilities: { logging: {} } });
  await mcp.connect(transport);
  const guarded = guardResume((req: IncomingMessage, res: ServerResponse) => transport.handleRequest(req, res), { tidemark });
  const server = createServer((req, res) => void guarded(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened({ close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-06-18' };
  const post = async (message: unknown, headers = {}) =>
    (await fetch(url, { method: 'POST', headers: { ...JSON_AND_SSE, ...headers }, body: JSON.stringify(message) })).text();
  await post(INITIALIZE);
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const get = (lastEventId?: string) =>
    fetch(url, {
      headers: { accept: 'text/event-stream', ...session, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    });
  const say = (data: string) => mcp.sendLoggingMessage({ level: 'info', data });
  return { receiver, get, say };
}

/** Reads a stream up to the event with this text, leaves it, and answers the ids that it read. */
async function readTo(response: Response, text: string): Promise<string[]> {
  let read = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!read.includes(`"${text}"`)) read += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  return [...read.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
}

test.each(['everything', 'flight'] as const)('a resume is told as one by the oldest SDK, recording %s', async (recording) => {
  const { receiver, get, say } = await startOldest({ recording, sampleShare: 0 });
  const stream = await get();
  await say('a');
  const [first = ''] = await readTo(stream, 'a');
  await say('b');
  expect(await readTo(await get(first), 'b')).toHaveLength(1);
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
  const [attempt] = receiver.of('resume_attempt');
  expect(attempt).toMatchObject({ verdict: 'resumed', status: 200, cursor: 1, floor: 1, head: 2, session_state: 'live' });
  expect(attempt && judgementOf(attempt)).toMatchObject({ assessment: 'correct', decision: { reason: 'ok' } });
  if (recording === 'everything')
    await receiver.until(() => receiver.of('close').filter(({ stream: name }) => name === 'get').length === 2);
  else expect(receiver.of('deliver')).toEqual([]);
  const audit = createAudit();
  for (const [index, record] of receiver.records.entries()) audit.push(record, index);
  expect(audit.finish().findings).toEqual([]);
  expect(receiver.problems).toEqual([]);
});

test('a cursor below the floor is refused on the oldest SDK as on any', async () => {
  const { receiver, get, say } = await startOldest();
  const stream = await get();
  await say('a');
  const [first = ''] = await readTo(stream, 'a');
  for (const text of ['b', 'c', 'd', 'e']) await say(text);
  const refused = await get(first);
  expect([refused.status, await refused.json()]).toMatchObject([409, { error: { data: { reason: 'below_floor' } } }]);
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
  expect(receiver.of('resume_attempt')).toMatchObject([{ verdict: 'refused', reason: 'below_floor' }]);
});
