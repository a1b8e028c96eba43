import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { createTidemark, type TelemetryProblem, type TelemetryStats, type Tidemark, type TidemarkOptions } from '../src/index.js';
import { readSpool } from '../src/spool/read-spool.js';
import { Spool } from '../src/spool/spool.js';
import { RecordingReceiver } from './recording-receiver';
import { newFolder, opened } from './stack';

async function startReceiver() {
  const receiver = opened(new RecordingReceiver());
  return { receiver, url: await receiver.listen() };
}

/** An intake in this mood has answered whatever it was sent before a reporter gives up on it: nothing is under way any more. */
const REFUSING = { status: 401 } as const;

const quiet = { server: 's', node: 'n1', flushIntervalMs: 60_000, retryBaseMs: 5, onProblem: () => undefined };
const start = (url: string, directory: string, options: Partial<TidemarkOptions> = {}) =>
  createTidemark({ ...quiet, url, spool: { directory }, ...options });

const note = (tidemark: Tidemark, from: number, count: number) => {
  for (let n = from; n < from + count; n++) tidemark.record({ type: 'client', session: 's', event: 'applied', code: n });
};
const codes = (receiver: RecordingReceiver) => receiver.of('client').map(({ code }) => code);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

interface Said {
  readonly stats: TelemetryStats;
  readonly problems: readonly string[];
}

/** Starts a child that sends `sent` records and then queues `queued` more; under `limit` its files have at most so many blocks of 512 bytes. */
async function spooling(url: string, directory: string, numbers: { queued: number; sent?: number }, options: object = {}, limit?: number) {
  const script = fileURLToPath(new URL('./spooling-child.ts', import.meta.url));
  const argv = ['--import', 'tsx', script, url, directory, String(numbers.queued), String(numbers.sent ?? 0), JSON.stringify(options)];
  const shell = limit === undefined ? 'exec "$@"' : `ulimit -f ${limit}; exec "$@"`;
  const child = opened(
    Object.assign(
      spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, ...argv], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, TSX_DISABLE_CACHE: '1' },
      }),
      { close: async () => void child.kill('SIGKILL') },
    ),
  );
  const said = async () => (await once(child, 'message'))[0] as Said;
  const first = await said();
  return {
    ...first,
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    /** It has nothing more to do but what telemetry would have it do. */
    leave: async () => {
      child.disconnect();
      return once(child, 'exit');
    },
    close: async () => {
      const last = said();
      child.send('close');
      return last;
    },
  };
}

/** Numbers of a producer's batches, as they came. */
function numbersOf(receiver: RecordingReceiver, producer: string): number[] {
  return receiver.requests.flatMap(({ origin }) => (origin?.producer === producer ? [origin.sequence] : []));
}

test('no number is used twice by a process that emptied its spool, spooled more, and was killed', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  // Enough to be emptied from, then as much as makes no whole batch.
  const child = await spooling(url, directory, { sent: 600, queued: 5 }, { flushIntervalMs: 60_000 });
  await child.kill();
  expect([child.stats.sent, statSync(join(directory, readdirSync(directory)[0] ?? '')).size < 20_000]).toEqual([601, true]);
  const numbers = numbersOf(receiver, 'child');
  const next = start(url, directory);
  await next.flush();
  expect(numbersOf(receiver, 'child')).toEqual([...numbers, Math.max(...numbers) + 1]);
  expect(codes(receiver)).toEqual(upTo(605));
  await next.close();
  expect(readdirSync(directory)).toEqual([]);
});

test('what a process had dropped when it was killed, or could not tell before it closed, is told by the next start', async () => {
  for (const end of ['kill', 'close'] as const) {
    const { receiver, url } = await startReceiver();
    const directory = newFolder();
    receiver.mood = REFUSING;
    const child = await spooling(url, directory, { queued: 5000 }, { flushIntervalMs: 60_000, maxBatchRecords: 500, maxQueuedRecords: 7 });
    expect(child.stats).toMatchObject({ queued: 7, dropped: 4994 });
    const [name = ''] = readdirSync(directory);
    expect(statSync(join(directory, name)).size).toBeLessThan(4000);
    await child[end]();
    receiver.mood = { status: 202 };
    const before = receiver.requests.length;
    const next = start(url, directory);
    await next.flush();
    const told = receiver.requests.slice(before).filter(({ origin }) => origin?.producer === 'child');
    expect([Math.max(...told.map(({ origin }) => origin?.dropped ?? 0)), codes(receiver)]).toEqual([4994, upTo(6)]);
    await next.close();
    expect(readdirSync(directory)).toEqual([]);
  }
});

test('a disk that is full costs what could not be written: it counts as dropped, not as spooled, and nothing is sent twice', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  // The first turn does not fit into 16 KiB.
  const child = await spooling(url, directory, { queued: 200 }, { flushIntervalMs: 60_000, maxBatchRecords: 500 }, 32);
  const { stats, problems } = await child.close();
  expect([stats, problems.filter((code) => code === 'spool_failed')]).toMatchObject([
    { queued: 0, spooled: 0, dropped: 201 },
    ['spool_failed'],
  ]);
  await child.kill();
  receiver.mood = { status: 202 };
  const next = start(url, directory);
  await next.flush();
  const told = receiver.requests.filter(({ origin }) => origin?.producer === 'child').map(({ origin }) => origin?.dropped);
  expect([codes(receiver), next.stats.corrupt, Math.max(...told.map(Number))]).toEqual([[], 0, 201]);
  await next.close();
});

test.each(['http', 'websocket'])(
  'a process ends by itself, over %s, though its connection and its spool are open, and what it had queued is left',
  async (transport) => {
    const { receiver, url } = await startReceiver();
    const directory = newFolder();
    const child = await spooling(url, directory, { sent: 5, queued: 5 }, { flushIntervalMs: 60_000, transport });
    expect(await child.leave()).toEqual([0, null]);
    const next = start(url, directory);
    await next.flush();
    expect([next.stats.recovered, codes(receiver)]).toEqual([5, upTo(10)]);
    await next.close();
  },
);

test('damage that is read by several starts is told once', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  const first = start(url, directory);
  note(first, 0, 5);
  await first.close();
  appendFileSync(join(directory, readdirSync(directory)[0] ?? ''), 'x'.repeat(50));
  for (let again = 0; again < 2; again++) await start(url, directory).close();
  receiver.mood = { status: 202 };
  const before = receiver.requests.length;
  const next = start(url, directory);
  await next.flush();
  const told = new Map(receiver.requests.slice(before).map(({ origin }) => [origin?.epoch, origin?.dropped]));
  expect([codes(receiver), [...told.values()].filter((count) => count !== 0)]).toEqual([upTo(5), [1]]);
  await next.close();
});

test('what is held in memory only when a process is killed is told as dropped', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  const options = { flushIntervalMs: 60_000, maxBatchRecords: 500, spool: { directory, maxBytes: 3000 } };
  const child = await spooling(url, directory, { queued: 100 }, options);
  await child.kill();
  receiver.mood = { status: 202 };
  const next = start(url, directory);
  await next.flush();
  const told = receiver.requests.filter(({ origin }) => origin?.producer === 'child').map(({ origin }) => origin?.dropped ?? 0);
  expect([codes(receiver).length > 0, Math.max(...told)]).toEqual([true, 101 - next.stats.recovered]);
  await next.close();
});

test('a disk that is full for a while is written again after a minute; what it did not take counts as dropped', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  const problems: string[] = [];
  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  const written = async () => {
    await new Promise(setImmediate);
    return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
  };
  receiver.mood = { status: 401 };
  const tidemark = start(url, directory, { onProblem: ({ code }) => problems.push(code) });
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const small = await written();
    limit(String(small));
    note(tidemark, 0, 2);
    const full = await written();
    limit('unlimited');
    note(tidemark, 2, 2);
    expect([full, await written()]).toEqual([small, small]);
    vi.setSystemTime(Date.now() + 60_000);
    note(tidemark, 4, 2);
    expect(await written()).toBeGreaterThan(small);
    await tidemark.close();
  } finally {
    limit('unlimited');
    vi.useRealTimers();
  }
  expect([problems.filter((code) => code === 'spool_failed').length, tidemark.stats]).toMatchObject([1, { spooled: 3, dropped: 4 }]);
  receiver.mood = { status: 202 };
  const next = start(url, directory);
  await next.flush();
  expect(codes(receiver)).toEqual([4, 5]);
  await next.close();
});

/** A spool by itself. */
const spoolIn = (directory: string) =>
  new Spool({ directory, producer: 'p', epoch: 'e', began: 0, maxBatchRecords: 10, onProblem: () => undefined });

test('a record that gave way before a full disk did not take it is not counted off twice: what is owed later stays in the file', async () => {
  const directory = newFolder();
  const path = join(directory, 'e.spool');
  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  const spool = spoolIn(directory);
  spool.open();
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    limit(String(statSync(path).size));
    spool.done([spool.add('{"n":1}')]);
    await new Promise(setImmediate);
    limit('unlimited');
    vi.setSystemTime(Date.now() + 60_000);
    spool.add('{"n":2}');
    spool.close(false);
  } finally {
    limit('unlimited');
    vi.useRealTimers();
  }
  expect(readSpool(readFileSync(path, 'utf8'), 10).batches.flatMap(({ lines }) => lines)).toEqual(['{"n":2}']);
});

test('a spool that gets no file of its own still sends what it took over', async () => {
  const directory = newFolder();
  const before = spoolIn(directory);
  before.open();
  before.add('{"n":1}');
  before.close(false);
  // Of one epoch: the name of the new file is taken.
  const spool = spoolIn(directory);
  expect([spool.open().batches, spool.add('{"n":2}')]).toMatchObject([[{ epoch: 'e', lines: ['{"n":1}'] }], null]);
  spool.inheritedDone('e', 1);
  spool.close(false);
  expect(readdirSync(directory)).toEqual([]);
});

test('of a batch that is partly in a full spool only that part counts as spooled', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  const first = start(url, directory, { spool: { directory, maxBytes: 2000 } });
  note(first, 0, 50);
  await first.close();
  const { spooled, dropped } = first.stats;
  expect([spooled + dropped, dropped > 0, spooled > 0]).toEqual([51, true, true]);
  receiver.mood = { status: 202 };
  const next = start(url, directory);
  await next.flush();
  expect([next.stats.recovered, codes(receiver).length]).toEqual([spooled, spooled - 1]);
  await next.close();
});

test('an inherited batch that the intake finds too large is split, and its file goes when both halves are settled', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  const first = start(url, directory);
  note(first, 0, 9);
  await first.close();
  receiver.mood = { status: 413 };
  const next = start(url, directory);
  void next.flush();
  await receiver.until(() => receiver.requests.some(({ count }) => count === 5));
  receiver.mood = { status: 202 };
  await next.flush();
  expect([codes(receiver), next.stats]).toMatchObject([upTo(9), { sent: 11, dropped: 0, recovered: 10 }]);
  expect(readdirSync(directory).length).toBe(1);
  await next.close();
  expect(readdirSync(directory)).toEqual([]);
});

test('a file whose head is damaged costs the damaged lines: its records are sent, under numbers of the next start', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  const first = start(url, directory);
  note(first, 0, 5);
  await first.close();
  const path = join(directory, readdirSync(directory)[0] ?? '');
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"producer"', '"producex"'));
  receiver.mood = { status: 202 };
  const before = receiver.requests.length;
  const next = start(url, directory);
  await next.flush();
  expect([codes(receiver), next.stats]).toMatchObject([upTo(5), { corrupt: 2, dropped: 2, recovered: 6 }]);
  expect(receiver.requests.slice(before).map(({ origin }) => origin)).toMatchObject(
    [1, 2, 3].map((sequence) => ({ producer: 'n1', sequence })).slice(0, receiver.requests.length - before),
  );
  await next.close();
  expect(readdirSync(directory)).toEqual([]);
});

test('what a killed process had queued is sent by the next start, under its own numbers, and stored once', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
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
  const begins = origins.map((origin) => origin?.began ?? 0);
  expect([new Set(begins.slice(0, 10)).size, Number(begins[0]) < Number(begins[10])]).toEqual([1, true]);
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
  receiver.mood = REFUSING;
  const first = start(url, directory);
  note(first, 0, 5);
  await first.close();
  const [name = ''] = readdirSync(directory);
  appendFileSync(join(directory, name), '0badf00d R 99 {"type":"cli');
  writeFileSync(join(directory, 'empty.spool'), '');
  receiver.mood = { status: 202 };
  const next = start(url, directory);
  await next.flush();
  expect(codes(receiver)).toEqual(upTo(5));
  expect(next.stats).toMatchObject({ corrupt: 1, dropped: 1 });
  expect(receiver.requests.at(-2)?.origin).toMatchObject({ sequence: 1, dropped: 1 });
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
  receiver.mood = REFUSING;
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
  await first.close();
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
  receiver.mood = REFUSING;
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

/** Starts a reporter over the same directory and says how much it took over. It leaves its boot there. */
async function takenOver(url: string, directory: string): Promise<number> {
  const taker = start(url, directory);
  const { recovered } = taker.stats;
  await taker.close();
  return recovered;
}

test('the spool of a thread is taken over when the thread has ended, by crash too, and not before', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  const script = JSON.stringify(new URL('./spooling-child.ts', import.meta.url).href);
  const thread = new Worker(`import('tsx/esm/api').then((tsx) => tsx.tsImport(${script}, ${script}))`, {
    eval: true,
    argv: [url, directory, '3'],
  });
  await once(thread, 'message');
  expect(await takenOver(url, directory)).toBe(0);
  await thread.terminate();
  expect(await takenOver(url, directory)).toBe(5);
});

test('two copies of this package in one process do not take each other over', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  vi.resetModules();
  const copy = await import('../src/index.js');
  expect(copy.createTidemark).not.toBe(createTidemark);
  const other = copy.createTidemark({ ...quiet, url, spool: { directory } });
  note(other, 0, 3);
  await new Promise(setImmediate);
  expect(await takenOver(url, directory)).toBe(0);
  await other.close();
  expect(await takenOver(url, directory)).toBe(5);
});

test('of many starts at once one takes over what a killed process had queued', async () => {
  const { receiver, url } = await startReceiver();
  const directory = newFolder();
  receiver.mood = REFUSING;
  const child = await spooling(url, directory, { queued: 20 });
  expect(await takenOver(url, directory)).toBe(0);
  await child.kill();
  const takers = Array.from({ length: 3 }, () => start(url, directory));
  expect(takers.map(({ stats }) => stats.recovered)).toEqual([22, 0, 0]);
  receiver.mood = { status: 202 };
  for (const taker of takers) await taker.flush();
  expect([codes(receiver), receiver.duplicates]).toEqual([upTo(20), 0]);
  for (const taker of takers) await taker.close();
  expect(readdirSync(directory)).toEqual([]);
});
