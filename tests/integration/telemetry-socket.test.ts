import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { Transactions } from '@/db/transactions';
import { call } from './api-client';
import { attemptRecord } from './attempt-record';
import { startTestDatabase } from './database';
import { startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';
import { openSocket } from './socket-client';

const edge = edgeOfFile();

const storedIds = async (server: string): Promise<string[]> => {
  const rows = await edge.sql<{ id: string }[]>`select a.id from attempt a join server s on s.id = a.server_id where s.name = ${server}`;
  return rows.map(({ id }) => id).sort();
};

describe('a frame', () => {
  test('is acknowledged by its number once its records are stored, and names those that cannot be read', async () => {
    const client = await openSocket(edge.base);
    const server = `ws-${randomUUID()}`;
    const record = attemptRecord({ server });
    client.send({ seq: 7, records: [record, { type: 'nonsense' }, attemptRecord({ server, cursor: -1 })] });
    expect(await client.answer()).toMatchObject({
      ack: 7,
      accepted: 1,
      duplicate: 0,
      rejected: [
        { index: 1, path: 'type' },
        { index: 2, path: 'cursor' },
      ],
    });
    expect(await storedIds(server)).toEqual([record.id]);
    client.socket.close();
  });

  test('sent again on another connection is acknowledged again and stored once', async () => {
    const server = `ws-${randomUUID()}`;
    const frame = { seq: 1, records: [attemptRecord({ server }), attemptRecord({ server })] };
    for (const expected of [
      { ack: 1, accepted: 2, duplicate: 0 },
      { ack: 1, accepted: 0, duplicate: 2 },
    ]) {
      const client = await openSocket(edge.base);
      client.send(frame);
      expect(await client.answer()).toMatchObject(expected);
      client.socket.close();
      await client.closed;
    }
    expect((await storedIds(server)).length).toBe(2);
  });

  test('without records is acknowledged, and positions beyond 2^53 are stored to the last digit', async () => {
    const client = await openSocket(edge.base);
    const server = `ws-${randomUUID()}`;
    client.send({ seq: 9_007_199_254_740_991, records: [] });
    expect(await client.answer()).toEqual({ ack: 9_007_199_254_740_991, accepted: 0, duplicate: 0, rejected: [] });
    const text = JSON.stringify({ seq: 2, records: [attemptRecord({ server, head: 0, floor: 0 })] });
    client.send(text.replace('"head":0', '"head":9223372036854775807'));
    expect(await client.answer()).toMatchObject({ ack: 2, accepted: 1 });
    const page = await call(`${edge.base}/api/v1/attempts?server=${server}`);
    expect(page.body).toMatchObject({ items: [{ head: '9223372036854775807' }] });
    client.socket.close();
  });

  test.each([
    { frame: { seq: 3, records: 'all' }, code: 'invalid_field', path: 'records' },
    { frame: { seq: 3, records: [], producer: 'pod-1' }, code: 'invalid_field', path: 'epoch' },
    { frame: { seq: 3, records: Array.from({ length: 10_001 }, () => 1) }, code: 'batch_too_large', path: 'records' },
  ])('that is not whole is refused alone: $code $path', async ({ frame, code, path }) => {
    const client = await openSocket(edge.base);
    client.send(frame);
    expect(await client.answer()).toMatchObject({ seq: 3, error: { code, path } });
    client.send({ seq: 4, records: [] });
    expect(await client.answer()).toMatchObject({ ack: 4 });
    client.socket.close();
  });

  test.each([
    { name: 'no JSON', frame: '{"seq":1,', code: 'malformed_json', close: 4400 },
    { name: 'no object', frame: '[1]', code: 'invalid_field', close: 4400 },
    { name: 'no number', frame: { records: [] }, code: 'invalid_field', close: 4400 },
    { name: 'a number that JSON would round', frame: '{"seq":9007199254740993,"records":[]}', code: 'invalid_field', close: 4400 },
  ])('that nobody could acknowledge ($name) ends the connection with its code', async ({ frame, code, close }) => {
    const client = await openSocket(edge.base);
    client.send(frame);
    expect(await client.answer()).toMatchObject({ seq: null, error: { code } });
    const goodbye = await client.closed;
    expect(goodbye.code).toBe(close);
    expect(goodbye.reason).toMatch(new RegExp(`^${code}: `));
  });

  test('that is binary ends the connection with 1003, one above the limit with 1009', async () => {
    const binary = await openSocket(edge.base);
    binary.send(Buffer.from('{}'));
    expect(await binary.closed).toMatchObject({ code: 1003, reason: expect.stringContaining('unsupported_media_type') });
    const large = await openSocket(edge.base);
    large.send(`{"seq":1,"records":["${'x'.repeat(4 * 1024 * 1024)}"]}`);
    expect((await large.closed).code).toBe(1009);
  });
});

describe('a connection', () => {
  test('is read no further than its bound while the database does not commit, and everything is stored once it does', async () => {
    const server = `ws-${randomUUID()}`;
    const client = await openSocket(edge.base);
    const locks = new Transactions(edge.database.postgres.connection, 1, 'test');
    const frames = 200;
    const padding = 'x'.repeat(256 * 1024);
    await locks.run(async (tx) => {
      await tx.query('lock table record in access exclusive mode');
      for (let seq = 0; seq < frames; seq++) client.send({ seq, records: [{ type: 'boot', id: randomUUID(), server, padding }] });
      // 8 MiB of 50 are taken; sockets hold a little, the sender the rest.
      await expect.poll(() => edge.services.intake.depth).toBeGreaterThan(8);
      expect(edge.services.intake.depth).toBeLessThan(64);
      expect(client.socket.bufferedAmount).toBeGreaterThan(20 * 1024 * 1024);
    });
    const acknowledged = new Set<unknown>();
    for (let i = 0; i < frames; i++) acknowledged.add((await client.answer()).ack);
    expect(acknowledged.size).toBe(frames);
    await locks.close();
    client.socket.close();
  });

  test('gets a coded refusal with a time to come again while the database is away, and stays open', async () => {
    const own = await startTestDatabase();
    const away = await startEdge(own.postgres.connection);
    const client = await openSocket(away.base);
    await own.postgres.stop();
    client.send({ seq: 5, records: [attemptRecord()] });
    expect(await client.answer()).toMatchObject({ seq: 5, error: { code: 'database_unavailable' }, retry_after: 1 });
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
    await away.stop();
    await own.stop();
  });

  test('ends with 1001 when the server stops, after what was taken is committed and acknowledged', async () => {
    const server = `ws-${randomUUID()}`;
    const stopping = await startEdge(edge.database.postgres.connection);
    const client = await openSocket(stopping.base);
    const locks = new Transactions(edge.database.postgres.connection, 1, 'test');
    const records = [attemptRecord({ server }), attemptRecord({ server })];
    let stopped: Promise<void> = Promise.resolve();
    await locks.run(async (tx) => {
      await tx.query('lock table attempt in access exclusive mode');
      client.send({ seq: 1, records });
      await expect.poll(() => stopping.services.intake.depth).toBe(2);
      stopped = stopping.services.close();
    });
    expect(await client.answer()).toMatchObject({ ack: 1, accepted: 2 });
    expect(await client.closed).toEqual({ code: 1001, reason: 'shutting_down' });
    await stopped;
    expect(await storedIds(server)).toEqual(records.map(({ id }) => id).sort());
    await locks.close();
    stopping.server.close();
  });
});

test('the path answers a request that asks for no WebSocket with 426', async () => {
  const reply = await call(`${edge.base}/api/v1/telemetry/ws`);
  expect(reply).toMatchObject({ status: 426, body: { error: { code: 'upgrade_required' } } });
});

test('what one server sends does not wait for what another sent before, behind one key and at whatever speed it is stored', async () => {
  const own = await startEdge(edge.database.postgres.connection);
  const [noisy, quiet] = [`noisy-${randomUUID()}`, `quiet-${randomUUID()}`];
  const boots = Array.from({ length: 1_000 }, () => ({ type: 'boot', server: noisy }));
  const quietClient = await openSocket(own.base);
  const noisyClients = await Promise.all(Array.from({ length: 16 }, () => openSocket(own.base)));
  let acknowledged = 0;
  const answers = noisyClients.flatMap((client) => {
    client.socket.on('message', () => acknowledged++);
    return [1, 2, 3, 4].map((seq) => {
      client.send({ seq, records: boots });
      return client.answer();
    });
  });
  await expect.poll(() => own.services.intake.depth, { interval: 1 }).toBeGreaterThan(20_000);
  quietClient.send({ seq: 1, records: [{ type: 'boot', server: quiet }] });
  expect(await quietClient.answer()).toMatchObject({ ack: 1, accepted: 1 });
  expect(acknowledged).toBeLessThan(answers.length / 2);
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ accepted: 1_000 });
  for (const { socket } of [quietClient, ...noisyClients]) socket.terminate();
  await own.stop();
});
