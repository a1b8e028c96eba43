import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { connectDatabase, type DatabaseAddress, type Sql } from '@/db/connect';
import { migrateDatabase } from '@/db/migrate';
import { Transactions } from '@/db/transactions';
import type { Channel } from '@/lib/delivery/channel';
import type { NewDelivery, Outbox } from '@/lib/delivery/outbox';
import type { Sender } from '@/lib/delivery/sender';
import { DeliveryWorker } from '@/lib/delivery/worker';
import { addDeliveries, ensureEndpoints, PostgresOutbox } from '@/lib/store/alerting-outbox';
import { loopbackSender } from '@/tests/alerting/world-parts';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';

/** A clock that moves when it is told to. */
export class TestClock {
  nowMs: number;

  constructor(startMs = Date.now()) {
    this.nowMs = startMs;
  }

  readonly now = (): number => this.nowMs;

  advance(ms: number): void {
    this.nowMs += ms;
  }
}

export interface World {
  readonly sql: Sql;
  readonly transactions: Transactions;
  readonly address: DatabaseAddress;
}

/** A migrated Postgres for the tests of one file. */
export function openWorld(): World {
  let database: TestDatabase | undefined;
  let sql: Sql | undefined;
  let transactions: Transactions | undefined;
  beforeAll(async () => {
    database = await startTestDatabase();
    await migrateDatabase(database.postgres.connection);
    sql = connectDatabase(database.postgres.connection, 10, 'alerting tests');
    transactions = new Transactions(database.postgres.connection, 10, 'alerting tests');
  });
  afterAll(async () => {
    await transactions?.close();
    await sql?.end({ timeout: 5 });
    await database?.stop();
  });
  return {
    get sql() {
      if (sql === undefined) throw new Error('the database is not up');
      return sql;
    },
    get transactions() {
      if (transactions === undefined) throw new Error('the database is not up');
      return transactions;
    },
    get address() {
      if (database === undefined) throw new Error('the database is not up');
      return database.postgres.connection;
    },
  };
}

export const webhook = (url: string, part: Partial<Channel> = {}): Channel => ({
  name: `hook-${randomUUID().slice(0, 8)}`,
  type: 'webhook',
  url,
  secret: null,
  previous: null,
  ...part,
});

/** A worker of its own for these channels; jitter in the middle, so that waits are exact. */
export async function workerFor(
  world: World,
  clock: TestClock,
  channels: readonly Channel[],
  parts: { outbox?: Outbox; sender?: Sender } = {},
): Promise<DeliveryWorker> {
  await ensureEndpoints(world.sql, new Map(channels.map(({ name, url }) => [name, url])));
  const known = new Map(channels.map((channel) => [channel.name, channel]));
  return new DeliveryWorker({
    outbox: parts.outbox ?? new PostgresOutbox(world.sql, world.transactions),
    sender: parts.sender ?? loopbackSender(),
    channels: () => Promise.resolve(known),
    now: clock.now,
    random: () => 0.5,
    elapsed: () => performance.now(),
  });
}

export const message = (endpoint: string, part: Partial<NewDelivery> = {}): NewDelivery => ({
  id: randomUUID(),
  endpoint,
  rule: 'r',
  groupKey: 'g',
  episode: 1,
  kind: 'open',
  body: '{"type":"alert.opened"}',
  ...part,
});

export async function enqueue(world: World, clock: TestClock, deliveries: readonly NewDelivery[]): Promise<void> {
  await world.transactions.run((tx) => addDeliveries(tx, deliveries, clock.nowMs));
}

export async function stateOf(sql: Sql, id: string): Promise<string | undefined> {
  const [row] = await sql<{ state: string }[]>`select state from alert_delivery where id = ${id}::uuid`;
  return row?.state;
}
