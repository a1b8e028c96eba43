import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { guardResume, SessionEventLog } from '../src/index.js';
import { opened, startTelemetry } from './stack';

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'work', arguments: { n: 1 } } };
const REQUEST = { rpc: { type: 'request', method: 'tools/call', id: 7 }, tool: 'work' };

async function lengthOf(req: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of req) length += (chunk as Buffer).length;
  return length;
}

test('a body of a quarter of a million pieces of one byte is answered and told like any other', async () => {
  const { receiver, tidemark } = await startTelemetry();
  const guarded = guardResume(async (req: IncomingMessage, res: ServerResponse) => res.end(`${await lengthOf(req)}`), { tidemark });
  const server = createServer(guarded);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened({ close: () => new Promise((resolve) => server.close(resolve)) });
  const body = JSON.stringify(CALL).padEnd(250_000, ' ');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\nmcp-session-id: s\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n');
  socket.end(`${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toContain('250000');
  await receiver.until(() => receiver.of('request').length === 1);
  expect(receiver.of('request')).toMatchObject([REQUEST]);
});

/** A request whose body comes in pieces, and says no length. */
function streamed(text: string, headers: Record<string, string> = {}): Request {
  const pieces = text.match(/.{1,1000}/g) ?? [];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(Buffer.from(piece));
    },
  });
  return new Request('http://127.0.0.1/mcp', { method: 'POST', body, duplex: 'half', headers } as RequestInit);
}

/** A web handler that reads the body whole and answers with how long it was. */
const count = async (request: Request) => new Response(`${(await request.text()).length}`);

test.each([
  { name: 'within the bound', length: 200_000, told: ['tools/call', 7, 'work'] },
  { name: 'above the bound', length: 300_000, told: [undefined, undefined, undefined] },
])('a web body $name that says no length reaches its handler whole', async ({ length, told }) => {
  const { receiver, tidemark } = await startTelemetry();
  const answer = await guardResume(count, { tidemark })(streamed(JSON.stringify(CALL).padEnd(length, ' '), { 'mcp-session-id': 's' }));
  expect(await answer.text()).toBe(String(length));
  await receiver.until(() => receiver.of('request').length === 1);
  expect(receiver.of('request').map(({ rpc, tool }) => [rpc?.method, rpc?.id, tool])).toEqual([told]);
});

test('a web handler that answers without reading the body is not kept waiting for it', async () => {
  const { receiver, tidemark } = await startTelemetry();
  const endless = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from('{')) });
  const request = new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    body: endless,
    duplex: 'half',
    headers: { 'mcp-session-id': 's' },
  } as RequestInit);
  const answer = await guardResume(async (_request: Request) => new Response(null, { status: 401 }), { tidemark })(request);
  expect(answer.status).toBe(401);
  await receiver.until(() => receiver.of('request').length === 1);
  expect(receiver.of('request')).toMatchObject([{ status: 401 }]);
});

test('a call whose body says no length is settled by its refusal', async () => {
  const { tidemark } = await startTelemetry();
  const sessionId = randomUUID();
  const log = new SessionEventLog({ sessionId, maxEvents: 1 });
  const store = tidemark.eventStore(log, { sessionId });
  const session = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' };
  const handler = guardResume(
    async (request: Request) => {
      await request.text();
      const id = await store.storeEvent('a', {});
      return new Response(`id: ${id}\ndata: \n\n`, { headers: { 'content-type': 'text/event-stream' } });
    },
    { tidemark, refusal: 'auto' },
  );
  const primed = await (await handler(streamed(JSON.stringify(CALL), session))).text();
  for (let n = 0; n < 3; n++) await store.storeEvent('a', { jsonrpc: '2.0', method: 'notifications/message' });
  const lastEventId = /^id: (.*)$/m.exec(primed)?.[1] ?? '';
  const refused = await handler(new Request('http://127.0.0.1/mcp', { headers: { ...session, 'last-event-id': lastEventId } }));
  expect([refused.status, refused.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(await refused.text()).toContain('"id":7');
});
