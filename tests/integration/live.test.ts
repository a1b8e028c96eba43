import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { connectDatabase, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { appendLive, LIVE_RETAINED } from '@/lib/store/live-log';
import type { LiveFrame } from '@/lib/wire/live-frames';
import { postJson } from './api-client';
import { startAppProcess } from './app-child';
import { attemptRecord } from './attempt-record';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';

const WAIT = { timeout: 120_000, interval: 20 };
let database: TestDatabase;
let a: Edge;
let b: Edge;
let sql: Sql;
const pages: Page[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  a = await startEdge(database.postgres.connection);
  b = await startEdge(database.postgres.connection);
  sql = connectDatabase(database.postgres.connection, 2, 'test');
});

afterEach(() => {
  for (const page of pages.splice(0)) page.leave();
});

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await a?.stop();
  await b?.stop();
  await database?.stop();
});

type Place = { readonly generation: string; readonly seq: number };

/** A browser's page: a WebSocket to the live feed, with everything that it was told. */
class Page {
  readonly frames: LiveFrame[] = [];
  readonly #socket: WebSocket;

  constructor(base: string, place: Place | null = null) {
    const query = place === null ? '' : `?generation=${place.generation}&cursor=${place.seq}`;
    this.#socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/live${query}`);
    this.#socket.on('message', (data) => this.frames.push(JSON.parse(String(data)) as LiveFrame));
    this.#socket.on('error', () => undefined);
    pages.push(this);
  }

  /** Waits for the first frame, which says what became of the page's cursor. */
  async greeting(): Promise<LiveFrame> {
    return vi.waitFor(() => {
      const [first] = this.frames;
      if (first === undefined) throw new Error('nothing was said yet');
      return first;
    }, WAIT);
  }

  get stored(): Extract<LiveFrame, { type: 'stored' }>[] {
    return this.frames.flatMap((frame) => (frame.type === 'stored' ? [frame] : []));
  }

  get place(): Place {
    const last = this.frames.at(-1);
    if (last === undefined) throw new Error('nothing was said yet');
    return { generation: last.generation, seq: last.seq };
  }

  heardOf(server: string): Promise<void> {
    return vi.waitFor(() => expect(this.stored.flatMap(({ servers }) => servers)).toContain(server), WAIT);
  }

  leave(): void {
    this.#socket.terminate();
  }
}

async function visit(base: string, place: Place | null = null): Promise<Page> {
  const page = new Page(base, place);
  await page.greeting();
  return page;
}

const store = async (base: string, server: string): Promise<void> => {
  expect((await postJson(`${base}/api/v1/telemetry`, [attemptRecord({ server }), { type: 'boot', server }])).status).toBe(202);
};

describe('a record that one process stored', () => {
  test('reaches the pages of every process, with the same number', async () => {
    const [here, there] = [await visit(a.base), await visit(b.base)];
    await store(a.base, 'told-everywhere');
    await Promise.all([here.heardOf('told-everywhere'), there.heardOf('told-everywhere')]);
    expect(there.place).toEqual(here.place);
    expect(there.stored.at(-1)).toMatchObject({ stored: 2, attempts: 1 });
  });

  test('reaches them also when the process that stored it was killed before it told', async () => {
    const page = await visit(b.base);
    const { child, base } = await startAppProcess(database.postgres.connection);
    const ended = once(child, 'exit');
    await store(base, 'killed-before-telling');
    child.kill('SIGKILL');
    await ended;
    await page.heardOf('killed-before-telling');
  });

  test('is told once, after it was stored, and numbers have no holes', async () => {
    const page = await visit(b.base);
    for (let i = 0; i < 20; i++) await store(i % 2 === 0 ? a.base : b.base, `numbered-${i}`);
    await Promise.all(Array.from({ length: 20 }, (_, i) => page.heardOf(`numbered-${i}`)));
    const numbers = page.stored.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_seq, index) => (numbers[0] ?? 0) + index));
    const total = page.stored.filter(({ servers }) => servers.some((name) => name.startsWith('numbered-')));
    expect(total.reduce((sum, { stored }) => sum + stored, 0)).toBe(40);
  });
});

describe('a page that comes back', () => {
  test('to another process is sent exactly what it missed', async () => {
    const first = await visit(a.base);
    await store(a.base, 'heard-before');
    await first.heardOf('heard-before');
    const { place } = first;
    first.leave();
    await store(a.base, 'missed-1');
    await store(b.base, 'missed-2');
    const watcher = await visit(b.base, place);
    await watcher.heardOf('missed-2');
    expect(watcher.frames[0]).toMatchObject({ type: 'open', verdict: 'resume' });
    expect(watcher.stored[0]?.seq).toBe(place.seq + 1);
    expect(watcher.stored.flatMap(({ servers }) => servers)).toEqual(['missed-1', 'missed-2']);
  });

  test.each([
    {
      name: 'with a number of another generation, though it is in range',
      change: ({ seq }: Place) => ({ generation: 'another', seq }),
      reason: 'generation_mismatch',
    },
    {
      name: 'with a number that was never given',
      change: ({ generation, seq }: Place) => ({ generation, seq: seq + 1000 }),
      reason: 'ahead_of_head',
    },
  ])('$name is told that it cannot resume, and hears what follows', async ({ change, reason }) => {
    const { place } = await visit(a.base);
    const page = await visit(a.base, change(place));
    expect(page.frames[0]).toMatchObject({ type: 'resume_unavailable', reason, next_step: 'refetch', ...place });
    await store(b.base, `after-${reason}`);
    await page.heardOf(`after-${reason}`);
  });

  test('after what it needs is no longer retained is told so', async () => {
    const page = await visit(a.base);
    await store(a.base, 'soon-forgotten');
    await page.heardOf('soon-forgotten');
    const { child, base } = await startAppProcess(database.postgres.connection);
    await sql`delete from live_event where seq < ${String(page.place.seq)}`;
    child.kill('SIGKILL');
    const { child: later, base: laterBase } = await startAppProcess(database.postgres.connection);
    expect(laterBase).not.toBe(base);
    const behind = await visit(laterBase, { generation: page.place.generation, seq: page.place.seq - 2 });
    expect(behind.frames[0]).toMatchObject({ type: 'resume_unavailable', reason: 'below_floor' });
    const edge = await visit(laterBase, { generation: page.place.generation, seq: page.place.seq - 1 });
    expect(edge.frames[0]).toMatchObject({ type: 'open', verdict: 'resume', replayed: 1 });
    later.kill('SIGKILL');
  });
});

describe('when the connection that hears of other processes is killed', () => {
  const killListeners = () => sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidemark notices' and datname = current_database()`;
  const listeners = async (): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where application_name = 'tidemark notices' and datname = current_database()`;
    return row?.count ?? 0;
  };

  test('what was stored meanwhile is caught up with, in order and without a hole, on the same connection of the page', async () => {
    const page = await visit(b.base);
    const before = page.place;
    await Promise.all([killListeners(), store(a.base, 'while-deaf-1'), store(a.base, 'while-deaf-2')]);
    await killListeners();
    await store(a.base, 'while-deaf-3');
    await Promise.all(['while-deaf-1', 'while-deaf-2', 'while-deaf-3'].map((server) => page.heardOf(server)));
    expect(page.stored.map(({ seq }) => seq)).toEqual(page.stored.map((_frame, index) => before.seq + 1 + index));
    expect(new Set(page.stored.map(({ generation }) => generation))).toEqual(new Set([before.generation]));
    await vi.waitFor(async () => expect(await listeners()).toBe(2), WAIT);
  });
});

test('a database that was put back to an earlier copy gets a new generation, and no old number resumes in it', async () => {
  const own = await startTestDatabase();
  const first = await startEdge(own.postgres.connection);
  await store(first.base, 'before-the-copy');
  const page = await visit(first.base);
  const { place } = page;
  page.leave();
  await first.stop();
  // The same rows under the same numbers: what a restored copy looks like.
  const again = await startEdge(own.postgres.connection);
  await store(again.base, 'after-the-copy');
  const back = await visit(again.base, place);
  expect(back.frames[0]).toMatchObject({ type: 'resume_unavailable', reason: 'generation_mismatch' });
  await again.stop();
  await own.stop();
});

test('the log of the feed keeps a bounded end, without a hole', async () => {
  const transactions = new Transactions(database.postgres.connection, 1, 'test');
  await transactions.run(async (tx) => {
    for (let i = 0; i < LIVE_RETAINED + 200; i++) await appendLive(tx, { stored: 1, attempts: 0, servers: [] });
  });
  await transactions.close();
  const [row] = await sql<{ events: number; span: number }[]>`
    select count(*)::int as events, (max(seq) - min(seq) + 1)::int as span from live_event`;
  expect(row?.events).toBe(row?.span);
  expect(row?.events).toBeGreaterThanOrEqual(LIVE_RETAINED);
  expect(row?.events).toBeLessThan(LIVE_RETAINED + 64);
});

test('pages are sent away while the database cannot be reached, rather than left with what looks live', async () => {
  const own = await startTestDatabase();
  const edge = await startEdge(own.postgres.connection);
  try {
    const socket = new WebSocket(`${edge.base.replace('http', 'ws')}/api/v1/live`);
    await once(socket, 'message');
    const closed = once(socket, 'close');
    await own.postgres.stop();
    expect((await closed)[0]).toBe(4503);
    const again = new WebSocket(`${edge.base.replace('http', 'ws')}/api/v1/live`);
    const [, refusal] = await once(again, 'unexpected-response');
    expect(refusal.statusCode).toBe(503);
    expect(refusal.headers['retry-after']).toBe('1');
  } finally {
    await edge.stop();
    await own.stop();
  }
});
