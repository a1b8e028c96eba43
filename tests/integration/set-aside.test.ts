import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { Transactions } from '@/db/transactions';
import { HOUR_MS, MINUTE_MS, outcomeKey } from '@/lib/rollup/increments';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';
import { waitFor } from './wait-for';

const AT = Date.now() - 61_001;
const OUTCOME = [3, 1] as const;
const logged: { level: string; fields: Readonly<Record<string, unknown>> }[] = [];
const edge = edgeOfFile({ log: (level, _message, fields = {}) => logged.push({ level, fields }) });

beforeEach(() => {
  logged.length = 0;
});

const attemptsOf = async (server: string): Promise<unknown> => {
  const { status, body } = await call(`${edge.base}/api/v1/summary?server=${server}&from=${AT - 2 * HOUR_MS}&to=${AT + 2 * HOUR_MS}`);
  expect(status).toBe(200);
  return (body['totals'] as Record<string, unknown>)['attempts'];
};

/** A server with one attempt, by its name and its number. */
async function serverWithAttempt(): Promise<{ name: string; id: number }> {
  const name = `aside-${randomUUID()}`;
  await postJson(`${edge.base}/api/v1/telemetry`, [attemptRecord({ server: name, at: AT })]);
  expect(await attemptsOf(name)).toBe(1);
  const [row] = await edge.sql<{ id: number }[]>`select id from server where name = ${name}`;
  return { name, id: row?.id ?? 0 };
}

/** What one more attempt of a server leaves to be folded. */
function oneMore(server: number, extremes = '- - -'): string {
  const [minute, hour] = [Math.floor(AT / MINUTE_MS), Math.floor(AT / HOUR_MS)];
  return [
    `m ${outcomeKey(minute, ...OUTCOME)} 1 0 1 0`,
    `v ${server} ${AT} ${AT} 1`,
    `h ${server} ${outcomeKey(hour, ...OUTCOME)} 1 0 1 0 ${AT} ${AT} ${extremes}`,
    '',
  ].join('\n');
}

const leave = (increments: string) => edge.sql`insert into pending_rollup (increments) values (${increments})`;
const asideCodes = async (): Promise<unknown> => (await edge.sql`select code from set_aside_rollup order by code`).map(({ code }) => code);
const setAsideTotal = async (): Promise<number> => {
  const text = await (await fetch(`${edge.base}/metrics`)).text();
  return Number(/^tidemark_rollups_set_aside_total (\d+)$/m.exec(text)?.[1]);
};

test('extremes beyond 64 bits that an earlier version left are folded as the nearest ones that there are', async () => {
  const { name, id } = await serverWithAttempt();
  await leave(oneMore(id, '9223372036854775808 9223372036854775808 -9223372036854775809'));
  expect(await attemptsOf(name)).toBe(2);
  const [row] = await edge.sql`
    select lead_min::text, kept_max::text, needed_max::text from server_hour where server_id = ${id} and reason = ${OUTCOME[0]} and assessment = ${OUTCOME[1]}`;
  expect(row).toMatchObject({ lead_min: '9223372036854775807', kept_max: '9223372036854775807' });
  expect(await asideCodes()).toEqual([]);
});

test('rows that no fold can add stop no others: they are set aside, counted and told', async () => {
  const { name, id } = await serverWithAttempt();
  const before = await setAsideTotal();
  const bad = [
    // More than the column can hold.
    oneMore(id).replace(/^m (\d+) 1 /m, `m $1 ${'9'.repeat(20)} `),
    // A kind that a later version may write.
    `? ${id} 1\n`,
    // An instant that no calendar has.
    oneMore(id).replace(`v ${id} ${AT} ${AT}`, `v ${id} ${AT} 9000000000000000000`),
    // A number that is none.
    `s nobody ${id} ${AT} ${AT} 1 1 0 -\n`,
  ];
  for (const [index, increments] of bad.entries()) {
    for (let i = 0; i <= index; i++) await leave(oneMore(id));
    await leave(increments);
  }
  expect(await attemptsOf(name)).toBe(11);
  expect(await asideCodes()).toEqual(['22003', '22P02', 'RangeError', 'RangeError']);
  expect(await edge.sql`select from pending_rollup`).toHaveLength(0);
  expect((await setAsideTotal()) - before).toBe(bad.length);
  const told = logged.filter(({ fields }) => fields['code'] === 'rollup_set_aside');
  expect(told).toHaveLength(bad.length);
  expect(told[0]).toMatchObject({ level: 'error', fields: { next_step: expect.any(String) } });

  // What comes afterwards is folded as ever.
  await postJson(`${edge.base}/api/v1/telemetry`, [attemptRecord({ server: name, at: AT })]);
  expect(await attemptsOf(name)).toBe(12);
});

test('what was set aside is tried again by the next process that starts', async () => {
  const { name, id } = await serverWithAttempt();
  await edge.sql`delete from set_aside_rollup`;
  await edge.sql`
    insert into set_aside_rollup (seq, increments, code, at) values (-2, ${oneMore(id)}, '22003', now()), (-1, '?', '22003', '2026-01-02')`;
  const next = await startEdge(edge.database.postgres.connection);
  expect(await attemptsOf(name)).toBe(2);
  expect(await asideCodes()).toEqual(['RangeError']);
  // Retention goes by when it was first set aside, however often it was tried since.
  expect(await edge.sql`select at from set_aside_rollup`).toEqual([{ at: new Date('2026-01-02') }]);
  await next.stop();
});

test('an event that an earlier generation of the live feed left behind makes room and sets nothing aside', async () => {
  const { name } = await serverWithAttempt();
  await edge.sql`delete from set_aside_rollup`;
  await edge.sql`insert into live_event (seq, at, note) select head + n, now(), '{}' from live_head, generate_series(1, 3) n`;
  await postJson(`${edge.base}/api/v1/telemetry`, [attemptRecord({ server: name, at: AT })]);
  expect(await attemptsOf(name)).toBe(2);
  expect(await asideCodes()).toEqual([]);
  await edge.sql`delete from live_event where seq > (select head from live_head)`;
});

test('a fold that runs out of time is tried again with half as much', async () => {
  const { name, id } = await serverWithAttempt();
  const types = `t 0 ${AT} ${AT} 1\n`;
  const [last] = await edge.sql<{ seq: bigint }[]>`select max(seq) as seq from live_event`;
  const holder = new Transactions(edge.database.postgres.connection, 1, 'holder');
  await holder.run(async (tx) => {
    await tx.query('lock table record_type');
    await edge.sql`insert into pending_rollup (increments) select ${oneMore(id) + types} from generate_series(1, 300)`;
    let isAnswered = false;
    const asked = call(`${edge.base}/api/v1/summary?server=${name}&from=${AT - 2 * HOUR_MS}&to=${AT + 2 * HOUR_MS}`).finally(() => {
      isAnswered = true;
    });
    // As if the limit of the statement had passed, for whichever fold it is that the reader waits for.
    const cancel = () => edge.sql`
      select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into record_type%'`;
    await waitFor(cancel, () => isAnswered);
    expect((await asked).status).toBe(503);
  });
  expect(await attemptsOf(name)).toBe(301);
  const events = await edge.sql`select note::json ->> 'stored' as stored from live_event where seq > ${last?.seq ?? 0n} order by seq`;
  const folds = events.map(({ stored }) => Number(stored));
  expect(folds.reduce((sum, stored) => sum + stored, 0)).toBe(300);
  expect(folds[0]).toBeLessThanOrEqual(200);
  await holder.close();
});
