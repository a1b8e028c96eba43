import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FINDING_CODES, SEVERITY_CODES } from '@/db/codes';
import { type Rule, type RuleInput, ruleOf } from '@/lib/alerting/rule';
import { samplesAt } from '@/lib/alerting/sample';
import type { FindingCode } from '@/lib/audit/finding';
import { PostgresMeasures } from '@/lib/query/alerting-measures';
import { openWorld } from '@/tests/alerting/world';
import { attemptRecord } from '@/tests/integration/attempt-record';
import { type Edge, startEdge } from '@/tests/integration/edge';

const world = openWorld();
const NOW = Date.now();
const HOUR_MS = 3_600_000;
let edge: Edge;
let measures: PostgresMeasures;

beforeAll(async () => {
  edge = await startEdge(world.address, { now: () => NOW });
  measures = new PostgresMeasures(world.sql);
  await edge.services.intake.submit(['pay', 'orders'].map((server) => attemptRecord({ server, at: NOW })));
});
afterAll(() => edge?.stop());

interface Planted {
  readonly code: FindingCode;
  readonly server?: string;
  readonly count?: number;
  readonly exact?: boolean;
  readonly session?: string | null;
  readonly atMs?: number;
  readonly knownMs?: number;
}

async function plant({
  code,
  server = 'pay',
  count = 1,
  exact = true,
  session = randomUUID(),
  atMs = NOW,
  knownMs = NOW,
}: Planted): Promise<string> {
  const id = randomUUID();
  await world.sql`
    insert into finding (id, at, known_at, changed_at, server_id, session_ref, code, severity, blame, count, place, is_provisional, body)
    values (${id}, ${new Date(atMs)}, ${new Date(knownMs)}, ${new Date(knownMs)}, (select id from server where name = ${server}), ${session},
      ${FINDING_CODES[code]}, ${SEVERITY_CODES.error}, 0, ${count}, 0, false, ${JSON.stringify({ exact })})`;
  return id;
}

const rule = (input: Partial<RuleInput> & Pick<RuleInput, 'measure'>): Rule =>
  ruleOf({ name: 'r', threshold: 1, group_by: ['server'], window_s: 3600, ...input });

async function valuesOf(one: Rule): Promise<unknown[]> {
  const buckets = await measures.buckets(one, NOW + 1 - HOUR_MS, NOW + 1, HOUR_MS);
  return samplesAt(one, buckets, NOW + 1).sort((a, b) => (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1));
}

test('findings are counted by server and session, and not what other codes or servers have', async () => {
  const session = randomUUID();
  await plant({ code: 'duplicate', session });
  await plant({ code: 'duplicate', session });
  await plant({ code: 'duplicate', server: 'orders' });
  await plant({ code: 'id_collision' });
  expect(await valuesOf(rule({ measure: 'duplicate' }))).toEqual([
    { labels: { server: 'orders' }, value: 1 },
    { labels: { server: 'pay' }, value: 2 },
  ]);
  const bySession = rule({ measure: 'duplicate', group_by: ['session'], filter: { server: 'pay' } });
  expect(await valuesOf(bySession)).toEqual([{ labels: { session: session.replaceAll('-', '') }, value: 2 }]);
  expect(await valuesOf(rule({ measure: 'duplicate', filter: { node: 'n1' } }))).toEqual([]);
});

test('a finding counts when it became known, and history that was handed in later wakes nobody', async () => {
  await plant({ code: 'stream_flap', atMs: NOW - 3 * HOUR_MS });
  await plant({ code: 'stream_flap', knownMs: NOW - 2 * HOUR_MS });
  await plant({ code: 'stream_flap', atMs: NOW - 72 * HOUR_MS });
  expect(await valuesOf(rule({ measure: 'stream_flap' }))).toEqual([{ labels: { server: 'pay' }, value: 1 }]);
});

test('a rate of findings is per attempt of the same server', async () => {
  await plant({ code: 'silent_client' });
  expect(await valuesOf(rule({ measure: 'silent_client_rate', filter: { server: 'pay' } }))).toEqual([
    { labels: { server: 'pay' }, value: 1 },
  ]);
});

test('the message of a finding says how much is lost, links its proof and the open incident of its cause', async () => {
  await plant({ code: 'gap', count: 30, session: null });
  await plant({ code: 'gap', count: 4, exact: false });
  await world.sql`
    insert into incident (id, key, is_current, server, cause, title, state, severity, opened_at, last_evidence_at)
    values (${randomUUID()}, 'a', true, 'pay', 'skipped_events', 'pay skips events', 'open', 'error', now(), now()),
      (${randomUUID()}, 'b', true, 'pay', 'reconnect_storm', 'storm', 'open', 'error', now(), now()),
      (${randomUUID()}, 'c', true, 'orders', 'skipped_events', 'another server', 'open', 'error', now(), now()),
      (${randomUUID()}, 'd', false, 'pay', 'skipped_events', 'long over', 'resolved', 'error', now(), now())`;
  const facts = await measures.facts(rule({ measure: 'gap' }), { server: 'pay' }, NOW - HOUR_MS, NOW + 1);
  expect(facts).toMatchObject({ events: '34', eventsAtLeast: true, sessions: 1, calls: null, incident: { title: 'pay skips events' } });
  expect([facts.proof?.server, facts.proof?.path.startsWith('/findings/')]).toEqual(['pay', true]);
  const lost = await plant({ code: 'lost_response', count: 2 });
  const calls = await measures.facts(rule({ measure: 'lost_response' }), { server: 'pay' }, NOW - HOUR_MS, NOW + 1);
  expect(calls).toMatchObject({ events: null, calls: 2, proof: { path: `/findings/${lost}` } });
});

test('the message of an unsafe resume links the incident of its server', async () => {
  const facts = await measures.facts(rule({ measure: 'unsafe_resume' }), { server: 'pay' }, NOW - HOUR_MS, NOW + 1);
  expect(facts).toMatchObject({ events: '1', sessions: 1, incident: { title: 'pay skips events' } });
  expect(facts.proof?.path).toMatch(/^\/attempts\//);
});
