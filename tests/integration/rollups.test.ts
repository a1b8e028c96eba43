import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { call, postJson, postLines } from './api-client';
import { startAppProcess } from './app-child';
import { attemptRecord } from './attempt-record';
import { startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();

const HOUR = 3_600_000;
const read = async (path: string): Promise<Record<string, unknown>> => (await call(`${edge.base}${path}`)).body;

/** Attempts of every kind over five hours, the same on every run. */
function spread(until: number): Record<string, unknown>[] {
  const kinds = [
    {},
    { cursor: 1099, last_event_id: '1099' },
    { cursor: 1042, last_event_id: '1042', replayed: { count: 3 } },
    { verdict: 'refused', status: 409 },
    { verdict: 'refused', status: 404 },
    { verdict: 'refused', status: 409, cursor: 1099, last_event_id: '1099' },
    { requested_generation: 2 },
    { floor: undefined, head: undefined, session_state: undefined },
    { last_event_id: null, cursor: null, verdict: 'fresh' },
    { floor: '9000000000000000000', head: '9223372036854775807', cursor: '17', last_event_id: '17' },
  ];
  return Array.from({ length: 400 }, (_, i) =>
    attemptRecord({
      ...kinds[i % kinds.length],
      at: until - (Math.floor((i * 7919 * 5 * HOUR) / 400) % (5 * HOUR)),
      server: `rolled-${i % 3}`,
      node: `node-${i % 7}`,
      session: `session-${i % 11}`,
      latency_ms: i,
    }),
  );
}

/** What a summary says of the period before is what is said of that period when it is asked for itself. */
async function expectEqualBefore(summary: Record<string, unknown>, from: number, to: number, filter: string): Promise<void> {
  if (!('previous' in summary)) return;
  const earlier = await read(`/api/v1/summary?from=${from - (to - from)}&to=${from}${filter}`);
  const { sessions: _, unsafe_sessions: __, ...counts } = earlier['totals'] as Record<string, unknown>;
  expect(summary['previous'], filter).toEqual({ ...counts, from: earlier['from'], to: earlier['to'] });
}

/** Incidents open and grow meanwhile, whatever the period. */
const withoutIncidents = (answer: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value) => (INCIDENTS.includes(name) ? null : value)));
const INCIDENTS = ['open_incidents', 'worst_incident', 'loss_incident'];

describe('rollups', () => {
  test('say exactly what the rows say, for any period, also after batches were sent again', async () => {
    const until = Date.now();
    const records = spread(until);
    expect((await postJson(`${edge.base}/api/v1/telemetry`, records)).body).toMatchObject({ accepted: 400 });
    expect((await postJson(`${edge.base}/api/v1/telemetry`, records.slice(0, 150))).body).toMatchObject({ duplicate: 150 });
    const periods = [
      [until - 6 * HOUR, until + 1],
      [until - 3 * HOUR - 123_457, until - HOUR - 7],
      [until - 90_001, until - 30_000],
      [Math.floor(until / HOUR) * HOUR - 2 * HOUR, Math.floor(until / HOUR) * HOUR],
    ];
    const filters = [
      '',
      '&server=rolled-1',
      '&server=rolled-1,rolled-2',
      '&mark=unsafe_resume,refused',
      '&reason=ok',
      '&verdict=refuse',
      '&mark_not=unsafe_resume,refused',
      '&reason_not=below_floor&server_not=rolled-2',
      '&server=rolled-1,rolled-2&assessment_not=correct',
      '&assessment=unverifiable,over_refusal',
      '&unavailable=true',
      '&unavailable=false',
      '&unavailable=true&server=rolled-1',
    ];
    let attempts = 0;
    for (const [from, to] of periods) {
      for (const filter of filters) {
        for (const path of [
          'summary?',
          'servers?',
          'series?step=3600&',
          'series?step=60&',
          'series?step=3600&by=server&',
          'series?step=3600&by=reason&',
        ]) {
          const query = `/api/v1/${path}from=${from}&to=${to}${filter}`;
          // Every body holds a brace, and no rollup knows texts: this asks the rows.
          const [rolled, rows] = [await read(query), await read(`${query}&q=%7B`)];
          expect(withoutIncidents(rolled), query).toEqual(withoutIncidents(rows));
          await expectEqualBefore(rolled, Number(from), Number(to), filter);
          attempts += (rolled['totals'] as { attempts: number } | undefined)?.attempts ?? 0;
        }
      }
    }
    expect(attempts).toBeGreaterThan(400);
  });

  test('count each row once when several processes store and fold at once, whoever folds what', async () => {
    const others = [await startEdge(edge.database.postgres.connection), await startEdge(edge.database.postgres.connection)];
    const bases = [edge.base, ...others.map(({ base }) => base)];
    const server = `shared-${randomUUID()}`;
    const sendTo = async (base: string, rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const records = Array.from({ length: 20 }, () => attemptRecord({ server, node: base, dropped_before: 1 }));
        expect((await postJson(`${base}/api/v1/telemetry`, records)).status).toBe(202);
        // Whoever reads lets what was committed by all be folded where it asks.
        if (round % 2 === 0) await call(`${base}/api/v1/summary?server=${server}`);
      }
    };
    await Promise.all(bases.flatMap((base) => [sendTo(base, 12), sendTo(base, 12)]));
    for (const base of bases) {
      const { body } = await call(`${base}/api/v1/summary?server=${server}`);
      expect(body).toMatchObject({ totals: { attempts: 1_440 }, dropped_records: 1_440 });
    }
    for (const other of others) await other.stop();
  });

  test('neither lose nor double a row when the app is killed again and again', async () => {
    const server = `killed-${randomUUID()}`;
    for (let kill = 0; kill < 3; kill++) {
      const { child, base } = await startAppProcess(edge.database.postgres.connection);
      const ended = once(child, 'exit');
      let acknowledged = 0;
      const sender = async (): Promise<void> => {
        while (child.signalCode === null) {
          const lines = Array.from({ length: 100 }, () => JSON.stringify(attemptRecord({ server })));
          const reply = await postLines(`${base}/api/v1/telemetry`, lines).catch(() => null);
          if (reply?.status === 202 && ++acknowledged === 12) child.kill('SIGKILL');
        }
      };
      await Promise.all([sender(), sender(), sender()]);
      await ended;
    }
    const summary = await read(`/api/v1/summary?server=${server}`);
    const [row] = await edge.sql<
      { rows: number }[]
    >`select count(*)::int as rows from attempt a join server s on s.id = a.server_id where s.name = ${server}`;
    const [rolled] = await edge.sql<{ attempts: number }[]>`
      select sum(attempts)::int as attempts from server_hour r join server s on s.id = r.server_id where s.name = ${server}`;
    expect(row?.rows).toBeGreaterThanOrEqual(36 * 100);
    expect(rolled?.attempts).toBe(row?.rows);
    expect(summary).toMatchObject({ totals: { attempts: row?.rows } });
  });
});
