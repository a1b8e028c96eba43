import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AlertingConfig } from '@/server/alerting';
import { type Receiver, startReceiver } from '@/tests/alerting/receiver';
import { call, postJson, type Reply } from '@/tests/integration/api-client';
import { attemptRecord } from '@/tests/integration/attempt-record';
import { startTestDatabase, type TestDatabase } from '@/tests/integration/database';
import { type Edge, startEdge } from '@/tests/integration/edge';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
let database: TestDatabase;
let edge: Edge;
let sink: Receiver;
const extra: Receiver[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  sink = await startReceiver(SECRET);
  const config: AlertingConfig = {
    channels: [{ name: 'oncall', type: 'webhook', url: sink.url, secret: SECRET }],
    rules: [{ name: 'storm', measure: 'resume_unavailable', threshold: 1_000_000 }],
    allowPrivateTargets: ['127.0.0.1/32'],
  };
  edge = await startEdge(database.postgres.connection, {}, { alerts: { config, baseUrl: 'http://tidemark.example' } });
});

afterEach(() => Promise.all(extra.splice(0).map((one) => one.stop())));

afterAll(async () => {
  await edge?.stop();
  await sink?.stop();
  await database?.stop();
});

const api = (path: string): string => `${edge.base}/api/v1/alerts${path}`;
const put = (path: string, body: unknown): Promise<Reply> =>
  call(api(path), { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

test('a committed unsafe resume reaches the receiver of the file, says what is lost, and is acknowledged by its link', async () => {
  await postJson(`${edge.base}/api/v1/telemetry`, attemptRecord({ server: 'pay' }));
  await sink.arrived(1);
  const [received] = sink.requests;
  expect(received?.isSigned).toBe(true);
  const { type, data } = JSON.parse(received?.body ?? '{}');
  expect(type).toBe('alert.opened');
  expect(data).toMatchObject({
    rule: 'unsafe-resume',
    labels: { server: 'pay' },
    loss: { events: '1', sessions: 1 },
    severity: 'critical',
  });
  expect(data.links.proof).toMatch(/^http:\/\/tidemark\.example\/attempts\/[0-9a-f-]{36}$/);

  const link = new URL(data.links.acknowledge);
  const page = await fetch(`${edge.base}${link.pathname}${link.search}`);
  expect(await page.text()).toContain('<form method="post">');
  // Other rules may look at the same server; this one is what was told.
  const item = async (): Promise<unknown[]> => {
    const { items } = (await call(api(''))).body;
    return Array.isArray(items) ? items.filter(({ rule }) => rule === 'unsafe-resume') : [];
  };
  expect(await item()).toMatchObject([{ rule: 'unsafe-resume', state: 'firing', acknowledged_at: null }]);
  const acked = await fetch(`${edge.base}${link.pathname}${link.search}`, { method: 'POST' });
  expect(await acked.text()).toContain('Acknowledged');
  expect(await item()).toMatchObject([{ rule: 'unsafe-resume', acknowledged_by: 'signed link' }]);
  expect((await fetch(`${edge.base}${link.pathname}?token=forged.token`)).status).toBe(404);
});

test('a channel is made, tested, rotated and removed without its secret ever being told again', async () => {
  const other = await startReceiver();
  extra.push(other);
  const made = await put('/channels/second', { type: 'webhook', url: other.url });
  expect(made.body['secret']).toMatch(/^whsec_/);
  expect((await put('/channels/second', { type: 'webhook', url: other.url })).body['secret']).toBeNull();
  const sent = await call(api('/channels/second/test'), { method: 'POST' });
  expect(sent.status).toBe(202);
  await other.arrived(1);
  expect(JSON.parse(other.requests[0]?.body ?? '{}').type).toBe('alert.test');
  expect((await postJson(api('/channels/second/rotate'), { overlap_s: 60 })).body['secret']).not.toBe(made.body['secret']);
  const listed = await call(api('/channels'));
  expect(JSON.stringify(listed.body)).not.toMatch(/whsec_|\/hook/);
  expect((await call(api('/channels/second'), { method: 'DELETE' })).status).toBe(200);
  expect((await call(api('/channels/oncall'), { method: 'DELETE' })).body).toMatchObject({ error: { code: 'provisioned' } });
});

test('a test message can be sent again by hand, under the same id', async () => {
  const before = sink.requests.length;
  const { body } = await call(api('/channels/oncall/test'), { method: 'POST' });
  await sink.arrived(before + 1);
  await expect.poll(async () => (await call(api(`/deliveries/${body['delivery']}`))).body['state']).toBe('delivered');
  expect((await call(api(`/deliveries/${body['delivery']}/resend`), { method: 'POST' })).status).toBe(202);
  await sink.arrived(before + 2);
  expect(sink.requests.slice(before).map(({ id }) => id)).toEqual([body['delivery'], body['delivery']]);
  expect((await call(api('/deliveries?channel=oncall&limit=1'))).body['items']).toHaveLength(1);
});

test('rules: presets are there, are overridden by name and come back; those of the file cannot be changed', async () => {
  const origins = async () => {
    const items = (await call(api('/rules'))).body['items'];
    return new Map(Array.isArray(items) ? items.map(({ rule, origin }) => [rule.name, origin]) : []);
  };
  expect((await origins()).get('blind')).toBe('preset');
  expect((await put('/rules/blind', { name: 'blind', measure: 'blind_rate', threshold: 0.9, enabled: false })).status).toBe(200);
  expect((await origins()).get('blind')).toBe('api');
  expect((await call(api('/rules/blind'), { method: 'DELETE' })).status).toBe(200);
  expect((await origins()).get('blind')).toBe('preset');
  expect((await put('/rules/storm', { name: 'storm', measure: 'gap', threshold: 1 })).body).toMatchObject({
    error: { code: 'provisioned' },
  });
  expect((await put('/rules/x', { name: 'x', measure: 'nonsense', threshold: 1 })).body).toMatchObject({
    error: { code: 'invalid_field', path: 'measure' },
  });
  expect((await put('/rules/x', { name: 'x', measure: 'gap', threshold: 1, channels: ['nobody'] })).status).toBe(400);
});

test('a preview says how often a rule would have fired', async () => {
  await postJson(`${edge.base}/api/v1/telemetry`, attemptRecord({ server: 'previewed' }));
  const rule = { name: 'p', measure: 'unsafe_resume', threshold: 1, group_by: ['server'], filter: { server: 'previewed' }, window_s: 3600 };
  const { body } = await postJson(api('/preview'), { rule, days: 1 });
  expect(body).toMatchObject({ fired: 1, episodes: [{ labels: { server: 'previewed' }, closed_at: null }] });
  expect((await postJson(api('/preview'), { rule: { ...rule, measure: 'nope' } })).status).toBe(400);
});

test('what another part raises reaches the receiver once, in its own words', async () => {
  const told = () => sink.requests.map((request) => JSON.parse(request.body).data).filter(({ rule }) => rule === 'proxy-breaker');
  const signal = { code: 'proxy_breaker', server: 'search', reason: 'refusal_rate', detail: 'Route search is in shadow now.' } as const;
  edge.services.raise(signal);
  edge.services.raise(signal);
  await expect.poll(() => told().length).toBe(1);
  expect(told()).toMatchObject([{ labels: { server: 'search' }, severity: 'error', detail: 'Route search is in shadow now.' }]);
});

test('a silence keeps what it matches quiet until it is ended', async () => {
  const server = `quiet-${randomUUID().slice(0, 8)}`;
  const silence = {
    matchers: [{ name: 'server', op: '=', value: server }],
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    comment: 'deploy',
    author: 'kim',
  };
  const { body } = await postJson(api('/silences'), silence);
  await postJson(`${edge.base}/api/v1/telemetry`, attemptRecord({ server }));
  const told = () => sink.requests.filter((request) => request.body.includes(server)).length;
  const firing = async () => JSON.stringify((await call(api(''))).body['items']).includes(server);
  await expect.poll(firing).toBe(true);
  expect(told()).toBe(0);
  expect((await call(api(`/silences/${body['id']}`), { method: 'DELETE' })).status).toBe(200);
  await expect.poll(told).toBe(1);
  expect((await postJson(api('/silences'), { ...silence, ends_at: '2001-01-01T00:00:00Z' })).body).toMatchObject({
    error: { path: 'ends_at' },
  });
});

test('every change of rules, channels and silences stands in the change log, and no secret does', async () => {
  const log = async (subject: string): Promise<Record<string, unknown>[]> => {
    const { body } = await call(`${edge.base}/api/v1/changes?subject=${subject}`);
    return (body['items'] as Record<string, unknown>[]).reverse();
  };
  const rule = { name: 'logged', measure: 'unsafe_resume', threshold: 2 };
  await put('/rules/logged', rule);
  await put('/rules/logged', { ...rule, threshold: 3 });
  await call(api('/rules/logged'), { method: 'DELETE' });
  expect(await log('logged')).toMatchObject([
    { action: 'alert_rule.created', actor: 'local', from: null, to: { threshold: 2 } },
    { action: 'alert_rule.changed', from: { threshold: 2 }, to: { threshold: 3 } },
    { action: 'alert_rule.removed', from: { threshold: 3 }, to: null },
  ]);
  const address = `${sink.url}/token-in-the-address`;
  const { secret } = (await put('/channels/logged-channel', { type: 'webhook', url: address })).body;
  await postJson(api('/channels/logged-channel/rotate'), {});
  await call(api('/channels/logged-channel'), { method: 'DELETE' });
  const changes = await log('logged-channel');
  expect(changes.map(({ action }) => action)).toEqual(['alert_channel.created', 'alert_channel.secret_rotated', 'alert_channel.removed']);
  expect(JSON.stringify(changes)).not.toContain('token-in-the-address');
  expect(JSON.stringify(changes)).not.toContain(String(secret));
  const matchers = [{ name: 'server', op: '=', value: 'nowhere' }];
  const ends_at = new Date(Date.now() + 60_000).toISOString();
  const { id } = (await postJson(api('/silences'), { matchers, ends_at, comment: 'moving house', author: 'kim' })).body;
  await call(api(`/silences/${id}`), { method: 'DELETE' });
  expect(await log(String(id))).toMatchObject([
    { action: 'alert_silence.created', to: { matchers, comment: 'moving house' } },
    { action: 'alert_silence.ended', from: { comment: 'moving house' }, to: null },
  ]);
});
