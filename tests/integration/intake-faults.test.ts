import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { postJson, postLines } from './api-client';
import { startAppProcess } from './app-child';
import { attemptRecord } from './attempt-record';
import { startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';
import { openSocket, type SocketClient } from './socket-client';
import { sendSteadily } from './steady-senders';

const edge = edgeOfFile();

const storedIds = async (server: string): Promise<string[]> => {
  const rows = await edge.sql<{ id: string }[]>`select a.id from attempt a join server s on s.id = a.server_id where s.name = ${server}`;
  return rows.map(({ id }) => id).sort();
};

const attempts = (server: string, count: number) => Array.from({ length: count }, () => attemptRecord({ server }));
const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort();

/** What was acknowledged before the connection broke. */
async function lastAnswers(client: SocketClient): Promise<number[]> {
  const answer = await client.answer().catch(() => null);
  return answer === null ? [] : [answer.ack ?? -1, ...(await lastAnswers(client))];
}

describe('over WebSocket, what was acknowledged is stored', () => {
  test('when the app is killed in mid-batch; what was not is sent again to the next one and stored once', async () => {
    const server = `ws-killed-${randomUUID()}`;
    const { child, base } = await startAppProcess(edge.database.postgres.connection);
    const client = await openSocket(base);
    const frames = new Map(Array.from({ length: 60 }, (_, seq) => [seq, attempts(server, 200)]));
    for (const [seq, records] of frames) client.send({ seq, records });
    const acknowledged = new Set<number>();
    while (acknowledged.size < 10) acknowledged.add((await client.answer()).ack ?? -1);
    child.kill('SIGKILL');
    for (const ack of await lastAnswers(client)) acknowledged.add(ack);
    const kept = new Set(await storedIds(server));
    const promised = [...acknowledged].flatMap((seq) => frames.get(seq) ?? []);
    expect(promised.filter(({ id }) => !kept.has(id))).toEqual([]);

    const next = await openSocket(edge.base);
    const again = [...frames].filter(([seq]) => !acknowledged.has(seq));
    for (const [seq, records] of again) next.send({ seq, records });
    for (const _ of again) expect((await next.answer()).rejected).toEqual([]);
    expect(await storedIds(server)).toEqual(idsOf([...frames.values()].flat()));
    next.socket.close();
  });

  test('when 1,000 connections break while they wait and come back all at once', async () => {
    const server = `ws-storm-${randomUUID()}`;
    const senders = Array.from({ length: 1_000 }, (_, seq) => ({ seq, records: attempts(server, 2) }));
    const broken = await Promise.all(senders.map(() => openSocket(edge.base)));
    for (const [index, frame] of senders.entries()) broken[index]?.send(frame);
    for (const { socket } of broken) socket.terminate();
    const back = await Promise.all(senders.map(() => openSocket(edge.base)));
    const sendAgain = async (client: SocketClient, frame: (typeof senders)[number]): Promise<void> => {
      client.send(frame);
      const answer = await client.answer();
      expect(answer.ack).toBe(frame.seq);
      expect((answer.accepted ?? 0) + (answer.duplicate ?? 0)).toBe(2);
      client.socket.close();
    };
    await Promise.all(back.map((client, index) => sendAgain(client, senders[index] ?? { seq: -1, records: [] })));
    expect(await storedIds(server)).toEqual(idsOf(senders.flatMap(({ records }) => records)));
  });
});

test('the same batches from two senders at once are stored once, and counted once between them', async () => {
  const server = `twins-${randomUUID()}`;
  const batches = Array.from({ length: 20 }, () => attempts(server, 100));
  const client = await openSocket(edge.base);
  const overSocket = batches.map(async (records, seq) => {
    client.send({ seq, records });
    return (await client.answer()).accepted ?? 0;
  });
  const overHttp = batches.map(async (records) => {
    const { status, body } = await postJson(`${edge.base}/api/v1/telemetry`, records);
    expect(status).toBe(202);
    return Number(body['accepted']);
  });
  const accepted = await Promise.all([...overSocket, ...overHttp]);
  expect(accepted.reduce((sum, count) => sum + count, 0)).toBe(2_000);
  expect(await storedIds(server)).toEqual(idsOf(batches.flat()));
  client.socket.close();
});

describe('senders that never finish', () => {
  test('do not keep others from being acknowledged: half a body, a head byte by byte, half a frame', async () => {
    const port = Number(new URL(edge.base).port);
    const stalled: Socket[] = [];
    for (let i = 0; i < 200; i++) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      const head = 'POST /api/v1/telemetry HTTP/1.1\r\nhost: 127.0.0.1\r\n';
      const half = `${head}content-type: application/x-ndjson\r\ncontent-length: 30000000\r\n\r\n{"type":"boot","server":"stalled"}\n${' '.repeat(100_000)}`;
      socket.write(i % 2 === 0 ? half : head.slice(0, 10 + (i % 30)));
      stalled.push(socket);
    }
    const server = `beside-${randomUUID()}`;
    for (let round = 0; round < 5; round++) {
      const lines = attempts(server, 50).map((record) => JSON.stringify(record));
      expect((await postLines(`${edge.base}/api/v1/telemetry`, lines)).status).toBe(202);
    }
    for (const socket of stalled) socket.destroy();
    expect((await storedIds(server)).length).toBe(250);
    const [row] = await edge.sql<{ rows: number }[]>`
      select count(*)::int as rows from record r join server s on s.id = r.server_id where s.name = 'stalled'`;
    expect(row?.rows).toBe(0);
  });

  test.each([
    ['half a body, then nothing', 'body', false],
    ['a body byte by byte', 'body', true],
    ['half a head, then nothing', 'head', false],
    ['a head byte by byte', 'head', true],
  ] as const)('are cut by the server, nothing of what they sent is stored, and others go on: %s', async (_what, part, isTrickle) => {
    const own = await startEdge(edge.database.postgres.connection, {}, { bodyMs: 2_000 }, { headMs: 2_000 });
    const server = `cut-${randomUUID()}`;
    const head = 'POST /api/v1/telemetry HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-ndjson\r\n';
    const whole = `${JSON.stringify({ type: 'boot', server })}\n${JSON.stringify({ type: 'boot', server })}\n`;
    const begun = part === 'head' ? head : `${head}content-length: 4000\r\n\r\n${whole}`;
    const socket = connect(Number(new URL(own.base).port), '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    let isCut = false;
    const cut = once(socket, 'close').then(() => {
      isCut = true;
    });
    socket.write(begun);
    const trickle = setInterval(() => {
      if (isTrickle && socket.writable) socket.write(part === 'head' ? 'x' : ' ');
    }, 20);
    const beside = `beside-${randomUUID()}`;
    const acknowledged = sendSteadily({ base: () => own.base, server: beside, isOver: () => isCut, onAcknowledged: () => undefined });
    await cut;
    clearInterval(trickle);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    if (part === 'body') expect(answer).toContain('request_timeout');
    const promised = (await acknowledged).sort();
    expect(await storedIds(beside)).toEqual(promised);
    const [row] = await edge.sql<{ rows: number }[]>`
      select count(*)::int as rows from record r join server s on s.id = r.server_id where s.name = ${server}`;
    expect(row?.rows).toBe(0);
    await own.stop();
  });
});
