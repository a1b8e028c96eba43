import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { guardResume, SessionEventLog } from '../src/index.js';
import { opened, startTelemetry } from './stack';

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened({
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = (url: string, message: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', 'mcp-session-id': 's' }, body: JSON.stringify(message) });

async function textOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return text;
}

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'work', arguments: { n: 1 } } };
const REQUEST = { conn: expect.any(String), rpc: { type: 'request', method: 'tools/call', id: 7 }, tool: 'work', status: 200 };

/** Reads what came and writes one event; answers what it read. */
const echo: Handler = async (req, res) => {
  const text = await textOf(req);
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  res.write(`id: e1\ndata: ${text}\n\n`);
  res.end();
};

test.each([
  { name: 'at once', before: async () => undefined },
  {
    name: 'after the body has come',
    before: (req: IncomingMessage) => new Promise((resolve) => req.once('readable', () => resolve(undefined))),
  },
])('a request that is handled $name is told with what it asked for, and its handler reads it whole', async ({ before }) => {
  const { receiver, tidemark } = await startTelemetry();
  const guarded = guardResume(echo, { tidemark });
  const url = await serve(async (req, res) => {
    await before(req);
    return guarded(req, res);
  });
  const answer = await post(url, CALL);
  expect(await answer.text()).toBe(`id: e1\ndata: ${JSON.stringify(CALL)}\n\n`);
  await receiver.until(() => receiver.of('close').length === 1);
  expect(receiver.of('request')).toMatchObject([REQUEST]);
  expect(receiver.of('deliver')).toMatchObject([{ event_ids: ['e1'], digests: [tidemark.digest(JSON.stringify(CALL))] }]);
});

test('two guards around one handler both tell all of it', async () => {
  const [one, two] = [await startTelemetry(), await startTelemetry()];
  const url = await serve(guardResume(guardResume(echo, { tidemark: one.tidemark }), { tidemark: two.tidemark }));
  const answer = await post(url, CALL);
  expect(await answer.text()).toContain('id: e1');
  for (const { receiver } of [one, two]) {
    await receiver.until(() => receiver.of('close').length === 1);
    expect(receiver.of('request')).toMatchObject([REQUEST]);
    expect(receiver.of('deliver')).toMatchObject([{ event_ids: ['e1'] }]);
    expect(receiver.problems).toEqual([]);
  }
});

test('what is told of a delivery is what went out, even where its memory is used again before it is told', async () => {
  const { receiver, tidemark } = await startTelemetry({ recording: 'flight', sampleShare: 0 });
  const log = new SessionEventLog({ sessionId: 's' });
  const store = tidemark.eventStore(log, { sessionId: 's' });
  const url = await serve(
    guardResume(
      async (req: IncomingMessage, res: ServerResponse) => {
        await textOf(req);
        const id = await store.storeEvent('a', { jsonrpc: '2.0', id: 7, result: 'grün' });
        const memory = Buffer.from(`id: ${id}\ndata: {"jsonrpc":"2.0","id":7,"result":"grün"}\n\n`);
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        await new Promise((resolve) => res.write(memory, resolve));
        memory.fill('x');
        res.end();
      },
      { tidemark },
    ),
  );
  await (await post(url, CALL)).text();
  const headers = { accept: 'text/event-stream', 'mcp-session-id': 's', 'last-event-id': 'never-issued' };
  expect((await fetch(url, { headers })).status).toBe(409);
  await receiver.until(() => receiver.of('resume_attempt').length === 1);
  const [emit] = receiver.of('emit');
  expect(receiver.of('deliver')).toMatchObject([{ event_ids: [emit?.event_id], digests: [emit?.digest] }]);
  expect(receiver.of('open')).toMatchObject([{ stream: 'a', rpc_id: 7 }]);
});
