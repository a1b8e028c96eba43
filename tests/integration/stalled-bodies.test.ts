import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { call } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const KEYS = [
  { name: 'noisy', key: 'the-key-of-a-noisy-sender', scopes: ['admin'] as const },
  { name: 'quiet', key: 'the-key-of-a-quiet-sender', scopes: ['ingest', 'read'] as const },
];
const edge = edgeOfFile({}, { auth: 'on', keys: KEYS });
const MIB = 1024 * 1024;

const post = (path: string, body: string, key: string) =>
  call(`${edge.base}${path}`, { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body });

/** Sends all of a body of 31 MiB but its end. */
async function stall(key: string): Promise<Socket> {
  const socket = connect(Number(new URL(edge.base).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const head = `POST /api/v1/telemetry HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: ${31 * MIB + 1}\r\n\r\n`);
  const part = Buffer.alloc(MIB, ' ');
  for (let sent = 0; sent < 31; sent++)
    await new Promise<void>((resolve, reject) => socket.write(part, (cause) => (cause ? reject(cause) : resolve())));
  return socket;
}

test('a sender whose large bodies stall fills its own share: others are acknowledged, and its own questions are answered', async () => {
  const noisy = 'the-key-of-a-noisy-sender';
  const stalled: Socket[] = [];
  for (let i = 0; i < 8; i++) stalled.push(await stall(noisy));
  const record = () => JSON.stringify(attemptRecord({ server: 'quiet' }));
  await expect.poll(async () => (await post('/api/v1/telemetry', `${' '.repeat(8 * MIB)}${record()}`, noisy)).status).toBe(429);
  expect(await post('/api/v1/telemetry', record(), 'the-key-of-a-quiet-sender')).toMatchObject({ status: 202 });
  for (const key of [noisy, 'the-key-of-a-quiet-sender']) {
    // Read and judged, whatever it deserves: a body that finds no room is 429.
    expect((await post('/api/v1/verdict', '{}', key)).status).toBe(400);
  }
  for (const socket of stalled) socket.destroy();
  await expect.poll(async () => (await post('/api/v1/telemetry', record(), noisy)).status).toBe(202);
});
