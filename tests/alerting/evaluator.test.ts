import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PRESET_INHIBITIONS } from '@/lib/alerting/presets';
import { type Rule, type RuleInput, ruleOf } from '@/lib/alerting/rule';
import { AckTokens } from '@/lib/delivery/ack-token';
import type { Channel } from '@/lib/delivery/channel';
import { Composer } from '@/lib/delivery/compose';
import { Evaluator, type EvaluatorParts } from '@/lib/delivery/evaluator';
import { PostgresMeasures } from '@/lib/query/alerting-measures';
import { AlertSetup } from '@/lib/store/alerting-admin';
import { acknowledgeEpisode, PostgresEvaluationStore } from '@/lib/store/alerting-evaluation';
import { type Receiver, startReceiver } from '@/tests/alerting/receiver';
import { openWorld, TestClock, webhook, workerFor } from '@/tests/alerting/world';
import { attemptRecord } from '@/tests/integration/attempt-record';
import { type Edge, startEdge } from '@/tests/integration/edge';

const world = openWorld();
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const secret = new TextEncoder().encode('an installation secret');
let clock: TestClock;
let edge: Edge;
let sink: Receiver;
let channel: Channel;

beforeAll(async () => {
  // Intake and evaluation share the clock of the test, so that hours pass at once.
  clock = new TestClock();
  edge = await startEdge(world.address, { now: () => clock.nowMs });
  sink = await startReceiver();
  channel = webhook(sink.url);
});

afterAll(async () => {
  await edge?.stop();
  await sink?.stop();
});

beforeEach(async () => {
  await world.sql`truncate alert_state, alert_event, alert_silence, alert_attempt, alert_delivery, alert_endpoint`;
  // What an earlier test stored lies outside every window.
  clock.advance(26 * HOUR_MS);
});

const rule = (input: Partial<RuleInput> = {}): Rule =>
  ruleOf({
    name: `rule-${randomUUID().slice(0, 8)}`,
    measure: 'unsafe_resume',
    threshold: 1,
    group_by: ['server'],
    window_s: 60,
    ...input,
  });

function evaluatorOf(rules: readonly Rule[], parts: Partial<EvaluatorParts> = {}, channels: readonly Channel[] = [channel]): Evaluator {
  const source = new PostgresMeasures(world.sql);
  const known = new Map(channels.map((one) => [one.name, one]));
  const composer = new Composer({
    source,
    channels: () => Promise.resolve(known),
    tokens: new AckTokens(secret),
    baseUrl: () => 'https://tidemark.example',
  });
  return new Evaluator({
    store: new PostgresEvaluationStore(world.transactions),
    source,
    rules: () => Promise.resolve(rules),
    inhibitions: PRESET_INHIBITIONS,
    compose: (item, told, nowMs) => composer.compose(item, told, nowMs),
    now: clock.now,
    ...parts,
  });
}

async function store(members: Record<string, unknown>, count = 1): Promise<void> {
  const records = Array.from({ length: count }, () => attemptRecord({ at: clock.nowMs, ...members }));
  const result = await edge.services.intake.submit(records);
  expect(result.accepted).toBe(count);
  // A window ends before the instant it is read at.
  clock.advance(1);
}

/** Evaluates, then sends what came of it; answers the types of the messages that arrived since `from`. */
async function told(evaluator: Evaluator, from: number): Promise<string[]> {
  await evaluator.tick();
  await (await workerFor(world, clock, [channel])).drain();
  return sink.requests.slice(from).map(({ body }) => JSON.parse(body).type);
}

test('an attempt opens one notification, its end resolves it, and nothing comes twice', async () => {
  const evaluator = evaluatorOf([rule({ filter: { server: 'a' } })]);
  const from = sink.requests.length;
  await store({ server: 'a' });
  expect(await told(evaluator, from)).toEqual(['alert.opened']);
  clock.advance(10_000);
  expect(await told(evaluator, from)).toEqual(['alert.opened']);
  clock.advance(MINUTE_MS);
  expect(await told(evaluator, from)).toEqual(['alert.opened', 'alert.resolved']);
  const bodies = sink.requests.slice(from).map(({ body }) => JSON.parse(body).data);
  expect(bodies[0].dedup_key).toBe(bodies[1].dedup_key);
});

test('an attempt is seen although the evaluator came late for its short window', async () => {
  const evaluator = evaluatorOf([rule({ filter: { server: 'brief' }, window_s: 2 })]);
  const from = sink.requests.length;
  expect(await told(evaluator, from)).toEqual([]);
  clock.advance(1000);
  await store({ server: 'brief' });
  clock.advance(30_000);
  expect(await told(evaluator, from)).toEqual(['alert.opened']);
});

test('replicas that evaluate at the same time tell once', async () => {
  const shared = rule({ filter: { server: 'replicas' } });
  const replicas = [1, 2, 3, 4].map(() => evaluatorOf([shared]));
  const from = sink.requests.length;
  await store({ server: 'replicas' });
  for (let second = 0; second < 5; second += 1) {
    await Promise.all(replicas.map((replica) => replica.tick()));
    clock.advance(1000);
  }
  const workers = await Promise.all([1, 2, 3].map(() => workerFor(world, clock, [channel])));
  await Promise.all(workers.map((worker) => worker.drain()));
  expect(sink.requests.slice(from)).toHaveLength(1);
});

test('a process that dies while it decides leaves nothing behind, and the next one tells once', async () => {
  const dying = rule({ filter: { server: 'dying' } });
  const from = sink.requests.length;
  await store({ server: 'dying' });
  await expect(evaluatorOf([dying], { compose: () => Promise.reject(new Error('killed')) }).tick()).rejects.toThrow('killed');
  expect(await told(evaluatorOf([dying]), from)).toEqual(['alert.opened']);
});

test('after six hours without evaluation each server is told of once, whatever happened meanwhile', async () => {
  const resting = rule({ filter: { server: ['gone', 'here'] } });
  const evaluator = evaluatorOf([resting]);
  const from = sink.requests.length;
  expect(await told(evaluator, from)).toEqual([]);
  for (let episode = 0; episode < 5; episode += 1) {
    clock.advance(HOUR_MS);
    await store({ server: 'gone' });
  }
  clock.advance(HOUR_MS);
  await store({ server: 'here' });
  const types = await told(evaluator, from);
  expect(types.sort()).toEqual(['alert.missed', 'alert.opened']);
  clock.advance(1000);
  expect(await told(evaluator, from)).toHaveLength(2);
});

test('what came and went during an absence is for PagerDuty one incident that is over, and nothing more', async () => {
  const duty = await startReceiver();
  const pager: Channel = { ...webhook(duty.url), type: 'pagerduty', secret: 'k'.repeat(32) };
  const evaluator = evaluatorOf([rule({ filter: { server: 'brief' } })], {}, [pager]);
  await evaluator.tick();
  clock.advance(HOUR_MS);
  await store({ server: 'brief' });
  clock.advance(HOUR_MS);
  for (let second = 0; second < 3; second += 1) {
    await evaluator.tick();
    clock.advance(1000);
  }
  await (await workerFor(world, clock, [pager])).drain();
  const events = duty.requests.map(({ body }) => JSON.parse(body));
  expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
  expect(new Set(events.map(({ dedup_key }) => dedup_key)).size).toBe(1);
  await duty.stop();
});

test('ten thousand alerts at once are one bounded message, and one resolve', async () => {
  const flood = rule({ filter: { server: 'flood' }, group_by: ['server', 'session'] });
  const evaluator = evaluatorOf([flood]);
  const from = sink.requests.length;
  const records = Array.from({ length: 10_000 }, (_, index) =>
    attemptRecord({ at: clock.nowMs, server: 'flood', session: `token-${index}` }),
  );
  expect((await edge.services.intake.submit(records)).accepted).toBe(10_000);
  clock.advance(1);
  expect(await told(evaluator, from)).toEqual(['alert.opened']);
  const { body } = sink.requests[from] ?? { body: '{}' };
  expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  const { data } = JSON.parse(body);
  expect(data.alerts.length + data.alerts_truncated).toBe(10_000);
  expect(data.loss).toMatchObject({ sessions: 10_000, events: '10000' });
  clock.advance(2 * MINUTE_MS);
  expect(await told(evaluator, from)).toEqual(['alert.opened', 'alert.resolved']);
});

test('many servers at once stay a bounded number of messages', async () => {
  const evaluator = evaluatorOf([rule({ measure: 'bad_replay_rate', op: '<', threshold: 1 })]);
  const from = sink.requests.length;
  await edge.services.intake.submit(Array.from({ length: 200 }, (_, index) => attemptRecord({ at: clock.nowMs, server: `many-${index}` })));
  clock.advance(1);
  await told(evaluator, from);
  expect(sink.requests.length - from).toBe(26);
});

test('a silence that begins while an alert is open never loses its resolve', async () => {
  const noisy = rule({ filter: { server: 'noisy' } });
  const evaluator = evaluatorOf([noisy]);
  const from = sink.requests.length;
  await store({ server: 'noisy' });
  await told(evaluator, from);
  const setup = new AlertSetup(world.sql, world.transactions);
  const silence = { id: randomUUID(), startsAtMs: clock.nowMs, endsAtMs: clock.nowMs + HOUR_MS, comment: 'x', author: 'x' };
  const matchers = [{ name: 'alertname', op: '=' as const, value: noisy.name }];
  await setup.addSilence({ ...silence, matchers }, { atMs: clock.nowMs, actor: 'x' });
  clock.advance(2 * MINUTE_MS);
  expect(await told(evaluator, from)).toEqual(['alert.opened', 'alert.resolved']);
});

test('what nobody acknowledges goes to the second channel; an acknowledgement prevents it', async () => {
  const other = await startReceiver();
  const second = webhook(other.url);
  const channels = [channel, second];
  const make = (server: string) => rule({ filter: { server }, window_s: 7200, escalate: { after_s: 600, channels: [second.name] } });
  const rules = [make('ignored'), make('taken')];
  const evaluator = evaluatorOf(rules, {}, channels);
  await store({ server: 'ignored' });
  await store({ server: 'taken' });
  await evaluator.tick();
  const [taken] = await world.sql<{ rule: string; group_key: string; episode: bigint }[]>`
    select rule, group_key, episode from alert_delivery where rule = ${rules[1]?.name ?? ''}`;
  const claim = { rule: taken?.rule ?? '', groupKey: taken?.group_key ?? '', episode: Number(taken?.episode), expiresAtMs: 0 };
  expect(await acknowledgeEpisode(world.transactions, claim, 'kim', clock.nowMs)).toBe(true);
  expect(await acknowledgeEpisode(world.transactions, claim, 'lee', clock.nowMs)).toBe(false);
  for (let minute = 0; minute < 15; minute += 1) {
    clock.advance(MINUTE_MS);
    await evaluator.tick();
  }
  await (await workerFor(world, clock, channels)).drain();
  expect(other.requests.map(({ body }) => JSON.parse(body)).map(({ type, data }) => [type, data.labels.server])).toEqual([
    ['alert.escalated', 'ignored'],
  ]);
  await other.stop();
});

test('a rule that cannot be read leaves its alerts as they are and says so after a minute', async () => {
  const unread = rule({ filter: { server: 'unread' } });
  const from = sink.requests.length;
  await store({ server: 'unread' });
  await told(evaluatorOf([unread]), from);
  const failing = evaluatorOf([unread], {
    source: { buckets: () => Promise.reject(new Error('down')), facts: () => Promise.reject(new Error('down')) },
  });
  for (let second = 0; second < 8; second += 1) {
    clock.advance(10_000);
    await told(failing, from);
  }
  const headlines = sink.requests.slice(from).map(({ body }) => JSON.parse(body).data.headline);
  expect(headlines).toHaveLength(2);
  expect(headlines[1]).toContain('cannot be evaluated');
});

test('a rule that is removed while it fires resolves what it told', async () => {
  const from = sink.requests.length;
  await store({ server: 'removed' });
  await told(evaluatorOf([rule({ filter: { server: 'removed' } })]), from);
  clock.advance(1000);
  expect(await told(evaluatorOf([]), from)).toEqual(['alert.opened', 'alert.resolved']);
});

test('a server that falls silent is told of; one that was silent while nobody listened is not', async () => {
  const stopped = rule({ measure: 'telemetry_stopped', filter: { server: 'silent' }, threshold: 300, notify_by: [] });
  const evaluator = evaluatorOf([stopped]);
  const from = sink.requests.length;
  await store({ server: 'silent' });
  for (let second = 0; second < 29; second += 1) {
    await told(evaluator, from);
    clock.advance(10_000);
  }
  expect(sink.requests.slice(from)).toHaveLength(0);
  clock.advance(10_000);
  expect(await told(evaluator, from)).toEqual(['alert.opened']);
  await store({ server: 'silent' });
  clock.advance(1000);
  expect(await told(evaluator, from)).toEqual(['alert.opened', 'alert.resolved']);
  clock.advance(2 * HOUR_MS);
  expect(await told(evaluator, from)).toHaveLength(2);
});
