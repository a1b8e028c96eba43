import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

const NOISY = 'the-key-of-a-noisy-sender';
const QUIET = 'the-key-of-a-quiet-sender';
const KEYS = [
  { name: 'noisy', key: NOISY, scopes: ['admin'] as const },
  { name: 'quiet', key: QUIET, scopes: ['ingest', 'read'] as const },
];
/** A few hundred bytes that are answered with over five megabytes: each line is rejected with its index, path and reason. */
const REJECTED = new Uint8Array(gzipSync('{}\n'.repeat(100_000)));

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

async function withEdge(answerMs: number, run: (edge: Edge) => Promise<void>): Promise<void> {
  const edge = await startEdge(database.postgres.connection, {}, { auth: 'on', keys: KEYS, answerMs });
  await run(edge).finally(edge.stop);
}

const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/x-ndjson',
  'content-encoding': 'gzip',
});
const post = ({ base }: Edge, key: string) => call(`${base}/api/v1/telemetry`, { method: 'POST', headers: headersOf(key), body: REJECTED });

/** Sends lines that are all rejected, and reads no more of the answer than its first bytes. */
async function leaveUnread({ base }: Edge, key: string): Promise<{ socket: Socket; status: string }> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = Object.entries(headersOf(key)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/v1/telemetry HTTP/1.1\r\nhost: 127.0.0.1\r\n${head.join('')}content-length: ${REJECTED.length}\r\n\r\n`);
  socket.write(REJECTED);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { socket, status: first.toString('latin1').slice('HTTP/1.1 '.length, 'HTTP/1.1 202'.length) };
}

test('answers that a sender leaves unread fill its own share: it is refused before more is stored, others are answered', async () => {
  await withEdge(600_000, async (edge) => {
    const unread: Socket[] = [];
    let status = '202';
    // Half of what all may hold is two dozen of such answers.
    while (status === '202' && unread.length < 40) {
      const one = await leaveUnread(edge, NOISY);
      unread.push(one.socket);
      status = one.status;
    }
    expect(status).toBe('429');
    const refused = await post(edge, NOISY);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'intake_full' } } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const { status: quiet, body } = await post(edge, QUIET);
    expect([quiet, (body['rejected'] as unknown[]).length]).toEqual([202, 100_000]);
    for (const socket of unread) socket.destroy();
    await expect.poll(async () => (await post(edge, NOISY)).status).toBe(202);
  });
});

test('what is still read for a sender who is gone holds nothing, and neither does an answer that stands behind another', async () => {
  await withEdge(300, async (edge) => {
    for (let n = 0; n < 60; n++) {
      const socket = connect(Number(new URL(edge.base).port), '127.0.0.1');
      socket.on('error', () => undefined);
      const head = Object.entries(headersOf(NOISY)).map(([name, value]) => `${name}: ${value}\r\n`);
      const request = `POST /api/v1/telemetry HTTP/1.1\r\nhost: 127.0.0.1\r\n${head.join('')}content-length: ${REJECTED.length}\r\n\r\n`;
      // Every other one leaves while its lines are read; the rest ask twice and read nothing.
      socket.write(request);
      socket.write(REJECTED);
      if (n % 2 === 1) {
        socket.write(request);
        socket.write(REJECTED);
        await once(socket, 'data');
        socket.pause();
      }
      socket.destroy();
    }
    // Three at once take most of what one key may have.
    const three = async () => (await Promise.all([1, 2, 3].map(() => post(edge, NOISY)))).map(({ status }) => status);
    await expect.poll(three).toEqual([202, 202, 202]);
  });
});

test('an answer of which nothing is taken is given up with its connection', async () => {
  await withEdge(300, async (edge) => {
    const open = () =>
      new Promise<number>((resolve, reject) => edge.server.getConnections((cause, count) => (cause ? reject(cause) : resolve(count))));
    const { socket, status } = await leaveUnread(edge, NOISY);
    expect(status).toBe('202');
    await expect.poll(open).toBe(0);
    socket.destroy();
  });
});
