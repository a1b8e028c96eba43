import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { BacktestResult, CompareResult, RetentionResult, WhatIfResult } from '@/lib/whatif/answer-schema';
import { SessionPage } from '@/lib/wire/responses';
import { call, postJson } from './api-client';
import { attemptRecord } from './attempt-record';
import { edgeOfFile } from './edge-of-file';

const edge = edgeOfFile();

const checked = (reply: { status: number; body: Record<string, unknown> }, schema: TSchema): Record<string, unknown> => {
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect([...Compile(schema).Errors(reply.body)], JSON.stringify(reply.body)).toEqual([]);
  return reply.body;
};
const whatIf = async (body: unknown) => checked(await postJson(`${edge.base}/api/v1/whatif`, body), WhatIfResult);

/** A log that keeps two events of ten, and a client that comes back after the fifth. */
const history = [
  { type: 'emit', range: [1, 10] },
  { type: 'evict', floor: '9' },
  { type: 'resume_attempt', last_event_id: '5', verdict: 'resumed', status: 200, session_state: 'live', conn: 'c2' },
];

describe('what if', () => {
  test('a larger buffer turns a refusal into a replay, over records, an incident and a stored server alike', async () => {
    const change = { buffer: { events: 10 } };
    const expected = {
      attempts: 1,
      changed: 1,
      items: [{ index: 2, before: { verdict: 'refuse', reason: 'below_floor' }, after: { verdict: 'resume', reason: 'ok' } }],
    };
    expect(await whatIf({ records: history, change })).toMatchObject(expected);
    const imported = await postJson(`${edge.base}/api/v1/incidents/import`, { title: 'ring', records: history });
    expect(await whatIf({ incident: imported.body['id'], change })).toMatchObject(expected);
    const at = Date.now();
    const stored = history.map((record, n) => ({ ...record, server: 'ring', session: 's', at: at + n }));
    expect(await postJson(`${edge.base}/api/v1/telemetry`, stored)).toMatchObject({ status: 202, body: { accepted: 3 } });
    expect(await whatIf({ server: 'ring', from: at, to: at + 10, change })).toMatchObject({ ...expected, basis: 'history' });
    expect(await whatIf({ server: 'ring', from: at + 5, to: at + 10, change })).toMatchObject({ attempts: 0 });
  });

  test.each([
    ['no change', { records: [] }, 'change'],
    ['a bad change', { records: [], change: { buffer: { events: -1 } } }, 'change.buffer.events'],
    ['a bad record', { records: [{ type: 'boot' }, { type: 'emit' }], change: {} }, 'records[1].event_id'],
    ['nothing to ask of', { change: {} }, 'records'],
    ['two things to ask of', { records: [], server: 'x', change: {} }, 'server'],
    ['no period', { server: 'x', change: {} }, 'from'],
    ['a period that ends before it begins', { server: 'x', from: 2, to: 1, change: {} }, 'from'],
    ['no incident', { incident: 'x', change: {} }, 'incident'],
  ])('%s is refused with its place', async (_name, body, path) => {
    expect(await postJson(`${edge.base}/api/v1/whatif`, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_field', path } },
    });
  });

  test('progress comes line by line, the answer last; what is refused at once has its status', async () => {
    const records = Array.from({ length: 25_000 }, (_, n) => ({
      type: 'resume_attempt',
      verdict: 'resumed',
      cursor: n,
      floor: 5,
      head: 30_000,
      generation: 1,
    }));
    const ask = (body: unknown, signal?: AbortSignal) =>
      fetch(`${edge.base}/api/v1/whatif`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
    const reply = await ask({ records, change: { floor: 'retained' } });
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await reply.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.slice(0, -1)).toMatchObject([{ progress: { done: 10_000 } }, { progress: { done: 20_000 } }]);
    expect(lines.at(-1)).toMatchObject({ answer: { attempts: 25_000 } });
    expect((await ask({ change: {} })).status).toBe(400);
    const gone = new AbortController();
    const cut = ask({ records, change: {} }, gone.signal);
    gone.abort();
    await expect(cut).rejects.toThrow();
    expect(await whatIf({ records: history, change: {} })).toMatchObject({ changed: 0 });
  });
});

describe('sizing and backtest', () => {
  test('what clients needed becomes a curve with its knee and a line for the configuration', async () => {
    const at = Date.now();
    const records = Array.from({ length: 40 }, (_, n) =>
      attemptRecord({
        server: 'sized',
        session: `s${n}`,
        at: at - 1_000 + n,
        cursor: 1100 - (n % 20),
        last_event_id: String(1100 - (n % 20)),
        floor: 1090,
      }),
    );
    await postJson(`${edge.base}/api/v1/telemetry`, records);
    const result = checked(await call(`${edge.base}/api/v1/servers/sized/retention-advice`), RetentionResult);
    expect(result).toMatchObject({
      server: 'sized',
      basis: 'history',
      advice: { measured: 40, censored: 0, measured_up_to: 19, kept_now: 11 },
    });
    const { points, config_line } = result['advice'] as { points: { served: number }[]; config_line: string };
    expect(points.at(-1)).toMatchObject({ events: 19, served: 1 });
    expect(config_line).toMatch(/^"buffer":\{"events":\d+/);
    expect(checked(await call(`${edge.base}/api/v1/servers/never-seen/retention-advice`), RetentionResult)).toMatchObject({ advice: null });
  });

  test('enforcement refuses what was resumed in silence, and names it', async () => {
    const silent = attemptRecord({ server: 'tested' });
    const whole = attemptRecord({ server: 'tested', cursor: 1099, last_event_id: '1099' });
    await postJson(`${edge.base}/api/v1/telemetry`, [silent, whole]);
    const result = checked(await postJson(`${edge.base}/api/v1/backtest`, { server: 'tested' }), BacktestResult);
    expect(result).toMatchObject({
      attempts: 2,
      newly_refused: 1,
      still_resumed: 1,
      newly_refused_by_reason: { below_floor: 1 },
      items: [silent.id],
    });
    expect(await postJson(`${edge.base}/api/v1/backtest`, { server: 'tested', floor: 'none' })).toMatchObject({
      status: 400,
      body: { error: { path: 'floor' } },
    });
  });
});

describe('compare', () => {
  test('two runs that only differ in names are alike, and a change of course is named', async () => {
    const at = Date.now();
    const run = (session: string, floor: string) =>
      history.map((record, n) => ({ ...record, ...('floor' in record ? { floor } : {}), server: 'runs', session, at: at + n }));
    await postJson(`${edge.base}/api/v1/telemetry`, [...run('a', '9'), ...run('b', '9'), ...run('c', '8')]);
    const page = checked(await call(`${edge.base}/api/v1/sessions?server=runs`), SessionPage);
    const refs = (page['items'] as { ref: string; first_at: string }[]).map(({ ref }) => ref);
    const compared = await Promise.all(
      refs.flatMap((left) =>
        refs.map(async (right) => checked(await call(`${edge.base}/api/v1/compare?left=${left}&right=${right}`), CompareResult)),
      ),
    );
    expect(compared.filter(({ divergence }) => divergence === null)).toHaveLength(5);
    expect(compared.find(({ divergence }) => divergence !== null)).toMatchObject({
      alike: 1,
      divergence: { left_index: 1, right_index: 1, path: 'floor' },
    });
  });

  test('an incident compares with itself from its first resume on', async () => {
    const [seed] = JSON.parse(readFileSync('tests/histories/S02.json', 'utf8')) as { records: unknown[] }[];
    const { body } = await postJson(`${edge.base}/api/v1/incidents/import`, { title: 'seed', records: seed?.records });
    const result = checked(
      await call(`${edge.base}/api/v1/compare?left=${body['id']}&right=${body['id']}&align=first_resume`),
      CompareResult,
    );
    expect(result).toMatchObject({ divergence: null, left: { kind: 'incident', records: seed?.records.length } });
    expect(await call(`${edge.base}/api/v1/compare?left=x&right=y`)).toMatchObject({ status: 400, body: { error: { path: 'left' } } });
    expect(await call(`${edge.base}/api/v1/compare?left=${'0'.repeat(32)}&right=${body['id']}`)).toMatchObject({ status: 404 });
  });
});

describe('taken away', () => {
  test('a report needs no other file and runs nothing, whatever its incident says', async () => {
    const title = '<script>alert(1)</script> "quoted"';
    const records = [...history, { type: 'request', tool: '</code><img src=x onerror=alert(1)>', conn: '"><script>' }];
    const { body } = await postJson(`${edge.base}/api/v1/incidents/import`, { title, records });
    const reply = await fetch(`${edge.base}/api/v1/incidents/${body['id']}/report`);
    const text = await reply.text();
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text).not.toMatch(/<script|<img|<[^>]* src=|href="(?!#)|@import|url\(/);
    expect(text).toContain('below_floor');
    const testFile = await fetch(`${edge.base}/api/v1/incidents/${body['id']}/test`);
    expect(await testFile.text()).toContain("from 'vitest'");
  });
});
