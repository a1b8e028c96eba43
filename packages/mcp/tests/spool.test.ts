import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createTidemark, type TelemetryProblem, type Tidemark, type TidemarkOptions } from '../src/index.js';
import { RecordingReceiver } from './recording-receiver';
import { newFolder, opened } from './stack';

async function startReceiver() {
  const receiver = opened(new RecordingReceiver());
  return { receiver, url: await receiver.listen() };
}

const quiet = { server: 's', node: 'n1', flushIntervalMs: 60_000, retryBaseMs: 5, onProblem: () => undefined };
const start = (url: string, directory: string, options: Partial<TidemarkOptions> = {}) =>
  createTidemark({ ...quiet, url, spool: { directory }, ...options });

const note = (tidemark: Tidemark, from: number, count: number) => {
  for (let n = from; n < from + count; n++) tidemark.record({ type: 'client', session: 's', event: 'applied', code: n });
};
const codes = (receiver: RecordingReceiver) => receiver.of('client').map(({ code }) => code);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('what a killed process had queued is sent by the next start, under its own numbers, and stored once', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = { status: 503 };
  const child = fork(fileURLToPath(new URL('./spooling-child.ts', import.meta.url)), [url, directory, '95'], {
    execArgv: ['--import', 'tsx'],
  });
  await once(child, 'message');
  await receiver.until(() => receiver.requests.length > 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  receiver.mood = { status: 202 };
  const before = receiver.requests.length;
  const tidemark = start(url, directory, { maxBatchRecords: 10 });
  await tidemark.flush();
  expect(codes(receiver)).toEqual(upTo(95));
  expect(tidemark.stats).toMatchObject({ recovered: 96, corrupt: 0, sent: 97, dropped: 0 });
  const origins = receiver.requests.slice(before).map(({ origin }) => origin);
  expect(origins.map((origin) => [origin?.producer, origin?.sequence])).toEqual([...upTo(10).map((n) => ['child', n + 1]), ['n1', 1]]);
  expect(new Set(receiver.requests.slice(0, before).map(({ origin }) => origin?.epoch))).toEqual(new Set([origins[0]?.epoch]));
  await tidemark.close();
  expect(readdirSync(directory)).toEqual([]);
});

test('a process that is killed while it sends loses nothing, and what is sent twice is stored once', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  const first = start(url, directory, { maxBatchRecords: 10 });
  note(first, 0, 39);
  receiver.mood = 'hang';
  void first.flush();
  await receiver.until(() => receiver.requests.length >= 1);
  // Closing gives up at once and leaves the spool as it is, as a kill does.
  await first.close(1);
  expect(first.stats).toMatchObject({ queued: 0, dropped: 0, spooled: 40 });
  receiver.mood = { status: 202 };
  for (let again = 0; again < 2; again++) {
    const next = start(url, directory);
    await next.flush();
    await next.close();
  }
  expect(codes(receiver)).toEqual(upTo(39));
  expect(readdirSync(directory)).toEqual([]);
});

test('a torn or damaged file costs the damaged lines, which are counted and told to the intake', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = { status: 503 };
  const first = start(url, directory);
  note(first, 0, 5);
  await first.close(1);
  const [name = ''] = readdirSync(directory);
  appendFileSync(join(directory, name), '0badf00d R 99 {"type":"cli');
  writeFileSync(join(directory, 'empty.spool'), '');
  receiver.mood = { status: 202 };
  const next = start(url, directory);
  await next.flush();
  expect(codes(receiver)).toEqual(upTo(5));
  expect(next.stats).toMatchObject({ corrupt: 1, dropped: 1 });
  const empty = receiver.requests.filter(({ count }) => count === 0);
  expect(empty.map(({ origin }) => origin)).toMatchObject([{ sequence: 1, dropped: 1 }]);
  await next.close();
});

test('what is stored leaves the file, which does not grow', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  const tidemark = start(url, directory);
  for (let round = 0; round < 20; round++) {
    note(tidemark, round * 200, 200);
    await tidemark.flush();
  }
  await new Promise(setImmediate);
  const [name = ''] = readdirSync(directory);
  expect(statSync(join(directory, name)).size).toBeLessThan(100_000);
  expect(receiver.of('client').length).toBe(4000);
  await tidemark.close();
});

test('a full spool is told once; what is beyond is held in memory and still sent', async () => {
  const { receiver, url } = await startReceiver();
  const problems: TelemetryProblem[] = [];
  const directory = newFolder();
  receiver.mood = { status: 503 };
  const onProblem = (problem: TelemetryProblem) => problems.push(problem);
  const tidemark = start(url, directory, { spool: { directory, maxBytes: 2000 }, onProblem });
  note(tidemark, 0, 50);
  receiver.mood = { status: 202 };
  await tidemark.flush();
  expect([problems.map(({ code }) => code), codes(receiver)]).toEqual([['spool_failed'], upTo(50)]);
  await tidemark.close();
});

test('records that gave way in the queue are not sent by the next start', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = { status: 401 };
  const first = start(url, directory, { maxQueuedRecords: 3, overflow: 'drop_oldest' });
  note(first, 0, 10);
  await first.close(1);
  receiver.mood = { status: 202 };
  const next = start(url, directory);
  await next.flush();
  expect([codes(receiver), first.stats.dropped]).toEqual([[7, 8, 9], 8]);
  await next.close();
});

test('a directory that cannot be used is told, and telemetry goes on without a spool', async () => {
  const { receiver, url } = await startReceiver();
  const problems: TelemetryProblem[] = [];
  const file = join(newFolder(), 'a-file');
  writeFileSync(file, '');
  const tidemark = start(url, join(file, 'below'), { onProblem: (problem) => problems.push(problem) });
  note(tidemark, 0, 3);
  await tidemark.flush();
  expect([problems.map(({ code }) => code), codes(receiver)]).toEqual([['spool_failed'], upTo(3)]);
  await tidemark.close();
});

test('two reporters of one process do not take each other over', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = { status: 503 };
  const one = start(url, directory);
  note(one, 0, 3);
  await new Promise(setImmediate);
  const two = start(url, directory);
  expect(two.stats.recovered).toBe(0);
  receiver.mood = { status: 202 };
  await one.flush();
  await two.flush();
  expect([codes(receiver), receiver.duplicates]).toEqual([upTo(3), 0]);
  await one.close();
  await two.close();
});
