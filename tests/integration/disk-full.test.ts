import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, postJson, postLines } from './api-client';
import { attemptRecord } from './attempt-record';
import { type SmallDisk, startOnSmallDisk } from './small-disk';
import { openSocket } from './socket-client';
import { waitFor } from './wait-for';

let disk: SmallDisk;

beforeAll(async () => {
  disk = await startOnSmallDisk();
});

afterAll(() => disk?.stop());

const attempts = (server: string, count: number) => Array.from({ length: count }, () => attemptRecord({ server }));
const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort();

async function storedIds(server: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { status, body } = await call(`${disk.base}/api/v1/attempts?server=${server}&limit=1000${cursor}`);
    expect(status).toBe(200);
    ids.push(...(body['items'] as { id: string }[]).map(({ id }) => id));
    cursor = typeof body['next'] === 'string' ? `&cursor=${encodeURIComponent(body['next'])}` : '';
  } while (cursor !== '');
  return ids.sort();
}

test('a disk without a free byte: refused with its code, told by readyz, nothing acknowledged is lost, and all is well once there is room', async () => {
  const server = `full-${randomUUID()}`;
  const intake = `${disk.base}/api/v1/telemetry`;
  const batches = Array.from({ length: 60 }, () => attempts(server, 200));
  const acknowledged: { readonly id: string }[] = [];
  const refusals = new Set<string>();
  const send = async (batch: (typeof batches)[number]): Promise<boolean> => {
    const reply = await postLines(
      intake,
      batch.map((record) => JSON.stringify(record)),
    );
    if (reply.status === 202) acknowledged.push(...batch);
    else {
      expect(reply).toMatchObject({ status: 503, body: { error: { next_step: expect.any(String) } } });
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      refusals.add(String((reply.body['error'] as { code: string }).code));
    }
    return reply.status === 202;
  };
  for (const batch of batches.slice(0, 5)) expect(await send(batch)).toBe(true);

  await disk.fill();
  const left = batches.slice(5);
  // What fits into pages that are there already may still be stored.
  while (left[0] !== undefined && (await send(left[0]))) left.shift();
  expect(left.length).toBeGreaterThan(0);
  expect([...refusals]).toEqual(['disk_full']);
  expect(await call(`${disk.base}/readyz`)).toMatchObject({ status: 503, body: { error: { code: 'disk_full' } } });
  const client = await openSocket(disk.base);
  client.send({ seq: 1, records: left[0] });
  expect(await client.answer()).toMatchObject({ seq: 1, error: { code: 'disk_full' }, retry_after: 5 });
  expect(await storedIds(server)).toEqual(idsOf(acknowledged));

  await disk.free();
  await waitFor(
    async () => send(left[0] ?? []),
    (isTaken) => isTaken,
  );
  for (const batch of left.slice(1)) expect(await send(batch)).toBe(true);
  expect((await call(`${disk.base}/readyz`)).status).toBe(200);
  client.send({ seq: 1, records: left[0] });
  expect(await client.answer()).toMatchObject({ ack: 1, accepted: 0, duplicate: 200 });
  client.socket.close();
  expect(idsOf(acknowledged)).toEqual(idsOf(batches.flat()));
  expect(await storedIds(server)).toEqual(idsOf(acknowledged));
  expect((await postJson(intake, attemptRecord())).status).toBe(202);
});
