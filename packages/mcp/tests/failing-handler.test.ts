import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { guardResume, SessionEventLog } from '../src/index.js';
import { opened, startTelemetry } from './stack';

const CURSOR_HEADERS = { accept: 'text/event-stream', 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25' };

/** A watched store with one event, to come back to. */
async function startSession() {
  const { receiver, tidemark } = await startTelemetry();
  const store = tidemark.eventStore(new SessionEventLog({ sessionId: 's' }), { sessionId: 's' });
  const cursor = await store.storeEvent('a', { jsonrpc: '2.0', method: 'notifications/message' });
  await store.storeEvent('a', { jsonrpc: '2.0', method: 'notifications/message' });
  const replay = async () => {
    await store.replayEventsAfter(cursor, { send: async () => undefined });
  };
  return { receiver, tidemark, replay, headers: { ...CURSOR_HEADERS, 'last-event-id': cursor } };
}

describe('a web handler that fails', () => {
  const EVENTS = { headers: { 'content-type': 'text/event-stream' } };
  test.each([
    {
      name: 'rejects',
      fail: async (): Promise<Response> => {
        throw new Error('down');
      },
    },
    {
      name: 'throws',
      fail: (): Response => {
        throw new Error('down');
      },
    },
    {
      name: 'answers what is no response',
      fail: async (): Promise<Response> => Response.error(),
    },
    {
      name: 'answers a body that is held already',
      fail: async (): Promise<Response> => {
        const answer = new Response('data: \n\n', EVENTS);
        answer.body?.getReader();
        return answer;
      },
    },
  ])('and $name still fails to its caller, and its attempt is told as failed', async ({ fail }) => {
    const { receiver, tidemark, replay, headers } = await startSession();
    let isFailing = true;
    const handler = guardResume(
      (_request: Request) => {
        if (isFailing) return fail();
        return replay().then(() => new Response('data: \n\n', EVENTS));
      },
      { tidemark },
    );
    const resume = () => handler(new Request('http://127.0.0.1/mcp', { headers }));
    await expect(resume()).rejects.toThrow();
    isFailing = false;
    await (await resume()).text();
    await receiver.until(() => receiver.of('resume_attempt').length === 2);
    expect(receiver.of('resume_attempt').map(({ verdict, replayed }) => [verdict, replayed?.count])).toEqual([
      ['failed', undefined],
      ['resumed', 1],
    ]);
  });

  test('a call is told although nothing answered it', async () => {
    const { receiver, tidemark } = await startTelemetry();
    const handler = guardResume(
      (_request: Request): Response => {
        throw new Error('down');
      },
      { tidemark },
    );
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'work' } });
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', body, headers: { 'mcp-session-id': 's' } });
    await expect(handler(request)).rejects.toThrow('down');
    await receiver.until(() => receiver.of('request').length === 1);
    expect(receiver.of('request')).toMatchObject([{ tool: 'work', rpc: { id: 7 }, status: null }]);
  });
});

describe('a node handler that fails', () => {
  async function listen(handler: (req: IncomingMessage, res: ServerResponse) => unknown) {
    const server = createServer((req, res) => void Promise.resolve(handler(req, res)).catch(() => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened({ close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each(['fails', 'is asked when its client is gone'])(
    'and %s is told as failed, and keeps no later replay from being told',
    async (how) => {
      const { receiver, tidemark, replay, headers } = await startSession();
      const left = new AbortController();
      let isFirst = true;
      const guarded = guardResume(
        async (_req: IncomingMessage, res: ServerResponse) => {
          if (isFirst) {
            isFirst = false;
            left.abort();
            throw new Error('down');
          }
          await replay();
          res.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: \n\n');
        },
        { tidemark },
      );
      const url = await listen(async (req, res) => {
        if (isFirst && how !== 'fails') {
          const closed = new Promise((resolve) => res.once('close', resolve));
          left.abort();
          await closed;
        }
        return guarded(req, res);
      });
      await expect(fetch(url, { headers, signal: left.signal })).rejects.toThrow();
      await receiver.until(() => receiver.of('resume_attempt').length === 1);
      await (await fetch(url, { headers })).text();
      await receiver.until(() => receiver.of('resume_attempt').length === 2);
      expect(receiver.of('resume_attempt').map(({ verdict, status, replayed }) => [verdict, status, replayed?.count])).toEqual([
        ['failed', null, undefined],
        ['resumed', 200, 1],
      ]);
    },
  );
});

test('a node handler that rejects when its client is gone rejects unhandled exactly where its caller leaves it so', async () => {
  const { tidemark } = await startTelemetry();
  const guarded = guardResume(
    async (_req: IncomingMessage, _res: ServerResponse) => {
      throw new Error('down');
    },
    { tidemark },
  );
  const told: unknown[] = [];
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (cause) => told.push(cause));
  try {
    for (const isHandled of [true, false]) {
      const asked = new Promise<void>((resolve) => {
        const server = createServer((req, res) => {
          res.once('close', () => {
            const answer = guarded(req, res);
            if (isHandled) answer?.catch(() => undefined);
            resolve();
          });
          req.socket.destroy();
        });
        opened({ close: () => new Promise((done) => server.close(done)) });
        server.listen(0, '127.0.0.1', () => {
          const { port } = server.address() as AddressInfo;
          fetch(`http://127.0.0.1:${port}`, { headers: CURSOR_HEADERS }).catch(() => undefined);
        });
      });
      await asked;
      await new Promise(setImmediate);
      expect(told.length).toBe(isHandled ? 0 : 1);
    }
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
});

test('a log that cannot be asked which call a stream answers does not break the stream', async () => {
  const log = () => {
    throw new Error('log is away');
  };
  const answer = 'id: e1\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\n';
  const call = { method: 'POST', body: '{"jsonrpc":"2.0","id":7,"method":"ping"}', headers: { 'mcp-session-id': 's' } };
  const web = guardResume(async (_request: Request) => new Response(answer, { headers: { 'content-type': 'text/event-stream' } }), {
    log,
    refusal: 'auto',
  });
  expect(await (await web(new Request('http://127.0.0.1/mcp', call))).text()).toBe(answer);
  const server = createServer(
    guardResume(
      (req: IncomingMessage, res: ServerResponse) => {
        req.resume().on('end', () => res.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer));
      },
      { log, refusal: 'auto' },
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened({ close: () => new Promise((resolve) => server.close(resolve)) });
  const answered = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, call);
  expect(await answered.text()).toBe(answer);
});
