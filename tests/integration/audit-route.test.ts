import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import { call, postJson } from './api-client';
import { edgeOfFile } from './edge-of-file';
import { mixedHistory } from './mixed-history';
import type { Json } from './stored-findings';

const edge = edgeOfFile();

/** A history of more than ten megabytes. */
function longHistory(): Json[] {
  const session = 'long';
  return Array.from({ length: 80_000 }, (_, index) => ({
    type: index % 2 === 0 ? 'emit' : 'deliver',
    session,
    conn: 'c1',
    ...(index % 2 === 0 ? { event_id: `event-${index}` } : { event_ids: [`event-${index - 1}`] }),
    digest: 'd'.repeat(80),
  }));
}

test('a long history gets the same answer as the audit itself gives', async () => {
  const records = mixedHistory('any', 30, 60);
  expect(JSON.stringify(records).length).toBeGreaterThan(65_536);
  const expected = auditRecords(records);
  const { status, body } = await postJson(`${edge.base}/api/v1/audit`, records);
  expect(status).toBe(200);
  expect(body).toEqual(expected.ok ? JSON.parse(JSON.stringify(expected.value)) : null);
});

test('other requests are answered while a long history is audited', async () => {
  const text = JSON.stringify(longHistory());
  expect(text.length).toBeGreaterThan(10 * 1024 * 1024);
  const order: string[] = [];
  const audit = request(`${edge.base}/api/v1/audit`, { method: 'POST', headers: { 'content-type': 'application/json' } });
  const answered = once(audit, 'response').then(([response]) => {
    order.push('audit');
    response.resume();
    return once(response, 'end');
  });
  audit.end(text);
  await once(audit, 'finish');
  for (let asked = 0; asked < 20; asked++) {
    expect((await call(`${edge.base}/healthz`)).status).toBe(200);
    order.push('healthz');
  }
  await answered;
  expect(order).toEqual([...Array.from({ length: 20 }, () => 'healthz'), 'audit']);
});

test('a record that cannot be read is named by its place, also in a long history', async () => {
  const records = longHistory();
  records[70_001] = { type: 'deliver', session: 'long', event_ids: 7 };
  const { status, body } = await postJson(`${edge.base}/api/v1/audit`, records);
  expect(status).toBe(400);
  expect(body['error']).toMatchObject({ code: 'invalid_field', path: '[70001].event_ids' });
});

test('more long histories than can wait are refused, and one that is called off makes room', async () => {
  const text = JSON.stringify(longHistory().slice(0, 30_000));
  const calls = Array.from({ length: 40 }, () => {
    const leaving = new AbortController();
    const reply = fetch(`${edge.base}/api/v1/audit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
      signal: leaving.signal,
    }).then(
      (response) => response.status,
      () => 0,
    );
    return { leaving, reply };
  });
  expect(await Promise.race(calls.map(async ({ reply }) => ((await reply) === 429 ? 429 : new Promise<number>(() => undefined))))).toBe(
    429,
  );
  for (const { leaving } of calls) leaving.abort();
  await Promise.all(calls.map(({ reply }) => reply));
  const records = mixedHistory('after', 30, 60);
  // A call that was called off leaves its place once its thread has noticed.
  const again = async (): Promise<number> => (await postJson(`${edge.base}/api/v1/audit`, records)).status;
  await expect.poll(again).toBe(200);
});
