import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { call, postJson, postLines } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();

const intake = () => `${edge.base}/api/v1/telemetry`;

describe('a stored attempt', () => {
  test('is judged, counted, and shown without its token', async () => {
    const sent = attemptRecord({ server: 'judged' });
    const reply = await postJson(intake(), sent);
    expect(reply).toMatchObject({ status: 202, body: { accepted: 1, duplicate: 0, rejected: [] } });

    const page = await call(`${edge.base}/api/v1/attempts?server=judged`);
    expect(page.status).toBe(200);
    expect(page.body).toMatchObject({
      items: [
        {
          id: sent.id,
          server: 'judged',
          assessment: 'unsafe_resume',
          mark: 'unsafe_resume',
          decision: { reason: 'below_floor', gap: { count: 1 } },
        },
      ],
      next: null,
    });
    expect(JSON.stringify(page.body)).not.toContain('token-1');

    const summary = await call(`${edge.base}/api/v1/summary?server=judged`);
    expect(summary.body).toMatchObject({ totals: { attempts: 1, marks: { unsafe_resume: 1 }, events_lost: 1 } });
  });

  test('no column of any table holds a session token', async () => {
    const token = `credential-${randomUUID()}`;
    const common = { server: 'kept-out', session: token };
    await postJson(intake(), [attemptRecord(common), { type: 'session', event: 'created', ...common }, { type: 'request', ...common }]);
    const tables = await edge.sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
    expect(tables.map(({ name }) => name)).toContain('attempt');
    for (const { name } of tables) {
      const [row] = await edge.sql<
        { leaks: number }[]
      >`select count(*)::int as leaks from ${edge.sql(name)} t where strpos(t::text, ${token}) > 0`;
      expect(row?.leaks, name).toBe(0);
    }
    await edge.sql.end({ timeout: 1 });
  });

  test('a record sent twice is stored once', async () => {
    const batch = [
      attemptRecord({ server: 'twice' }),
      attemptRecord({ server: 'twice' }),
      { type: 'boot', id: randomUUID(), at: Date.now(), server: 'twice' },
    ];
    expect((await postJson(intake(), batch)).body).toMatchObject({ accepted: 3, duplicate: 0 });
    expect((await postJson(intake(), [...batch, attemptRecord({ server: 'twice' })])).body).toMatchObject({ accepted: 1, duplicate: 3 });
    const summary = await call(`${edge.base}/api/v1/summary?server=twice`);
    expect(summary.body).toMatchObject({ totals: { attempts: 3 } });
  });

  test('lines arrive gzipped, and a bad one is refused alone', async () => {
    const lines = [
      JSON.stringify(attemptRecord({ server: 'lines' })),
      '{"type":',
      JSON.stringify({ type: 'emit' }),
      JSON.stringify(attemptRecord({ server: 'lines', cursor: -1 })),
    ];
    const reply = await postLines(intake(), lines, { gzip: true });
    expect(reply).toMatchObject({
      status: 202,
      body: { accepted: 1, duplicate: 0, rejected: [{ index: 1 }, { index: 2 }, { index: 3, path: 'cursor' }] },
    });
  });
});
