import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { IncidentDetail, type IncidentItem, IncidentLog, IncidentPage } from '@/lib/incidents/answer-schema';
import { ServerList, Summary } from '@/lib/wire/responses';
import { Timeline } from '@/lib/wire/timeline-responses';
import { call, postJson, type Reply } from './api-client';
import { attemptRecord } from './attempt-record';
import { startEdge } from './edge';
import { edgeOfFile } from './edge-of-file';
import { waitFor } from './wait-for';

const MINUTE = 60_000;
const START = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE;

let clock = START;

const edge = edgeOfFile({ now: () => clock }, { audit: {} });

const send = async (records: unknown[], to: { readonly base: string } = edge): Promise<void> => {
  expect(await postJson(`${to.base}/api/v1/telemetry`, records)).toMatchObject({ status: 202 });
};

const read = async (path: string, schema: TSchema): Promise<Record<string, unknown>> => {
  const reply = await call(`${edge.base}${path}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect([...Compile(schema).Errors(reply.body)], JSON.stringify(reply.body)).toEqual([]);
  return reply.body;
};

const list = async (server: string): Promise<IncidentItem[]> =>
  (await read(`/api/v1/incidents?server=${server}`, IncidentPage))['items'] as IncidentItem[];

const waitForOne = async (server: string, holds: (item: IncidentItem) => boolean = () => true): Promise<IncidentItem> => {
  const items = await waitFor(
    () => list(server),
    ([item]) => item !== undefined && item.records > 0 && holds(item),
  );
  const [item] = items;
  if (item === undefined) throw new Error('no incident');
  return item;
};

const logOf = async (id: string): Promise<string[]> =>
  ((await read(`/api/v1/incidents/${id}/log`, IncidentLog))['items'] as { type: string }[]).map(({ type }) => type);

const act = (id: string, verb: string, body: unknown = {}): Promise<Reply> => postJson(`${edge.base}/api/v1/incidents/${id}/${verb}`, body);

const unsafe = (server: string, members: Record<string, unknown> = {}) => attemptRecord({ server, at: clock, ...members });

describe('detection', () => {
  test('unsafe resumes of one cause are one incident, with what they cost and their records', async () => {
    const records = ['a', 'b', 'a'].map((session) => unsafe('grouped', { session, conn: randomUUID() }));
    await send([{ type: 'emit', range: [1000, 1100], server: 'grouped', session: 'a', generation: 3, at: clock }, ...records]);
    const item = await waitForOne('grouped', ({ records: pinned }) => pinned === 4);
    expect(item).toMatchObject({
      state: 'open',
      severity: 'critical',
      cause: 'skipped_events',
      origin: 'detected',
      sessions_count: 2,
      toll: { attempts: 3, events_lost: 3 },
    });
    const detail = await waitFor(
      () => read(`/api/v1/incidents/${item.id}`, IncidentDetail),
      (answer) => answer['findings_current'] === true,
    );
    expect((detail['sessions'] as string[]).length).toBe(2);
    expect(await logOf(item.id)).toEqual(['opened']);
    const steps = (await read(`/api/v1/incidents/${item.id}/timeline`, Timeline))['steps'] as { record: { id?: string } }[];
    expect(steps.map(({ record }) => record.id).slice(1)).toEqual(records.map(({ id }) => id));
  });

  test.each([
    { name: 'S01a', naming: 'its session' },
    { name: 'S02a', naming: 'its session' },
    { name: 'S01a', naming: 'no session' },
    { name: 'S02a', naming: 'no session' },
  ])(
    '$name, sent as telemetry that names $naming, is an incident with the records and findings of its history',
    async ({ name, naming }) => {
      const cases = JSON.parse(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as {
        case: string;
        records: Record<string, unknown>[];
        expect: { findings: { code: string }[] };
      }[];
      const history = cases.find((entry) => entry.case === name);
      if (history === undefined) throw new Error(`no case ${name}`);
      const server = `history-${name}-${naming === 'no session' ? 'unnamed' : 'named'}`;
      const session = naming === 'no session' ? {} : { session: name };
      await send(history.records.map((record) => ({ ...record, server, at: clock, ...(record['type'] === 'boot' ? {} : session) })));
      const { id } = await waitForOne(server);
      const detail = await waitFor(
        () => read(`/api/v1/incidents/${id}`, IncidentDetail),
        (answer) => answer['findings_current'] === true && answer['records'] === history.records.length,
      );
      for (const { code } of history.expect.findings) expect(detail['findings']).toContainEqual(expect.objectContaining({ code, server }));
    },
  );

  test('records sent again count once', async () => {
    const records = [unsafe('again'), unsafe('again')];
    await send(records);
    await send([...records, unsafe('again')]);
    await waitForOne('again', ({ toll }) => toll.attempts === 3);
    await send(records);
    await send([unsafe('again')]);
    expect((await waitForOne('again', ({ toll }) => toll.attempts >= 4)).toll.attempts).toBe(4);
  });

  test('evidence outlives the records it was taken from', async () => {
    await send([unsafe('kept'), unsafe('kept')]);
    const { id } = await waitForOne('kept', ({ records }) => records === 2);
    const before = await (await fetch(`${edge.base}/api/v1/incidents/${id}/records`)).text();
    await edge.sql`delete from attempt where server_id = (select id from server where name = 'kept')`;
    expect(await (await fetch(`${edge.base}/api/v1/incidents/${id}/records`)).text()).toBe(before);
    expect(before.trimEnd().split('\n')).toHaveLength(2);
  });

  test('what happened long ago opens its incident then, and settles it', async () => {
    await send([unsafe('old', { at: clock - 3 * 24 * 60 * MINUTE })]);
    const item = await waitForOne('old');
    expect(item).toMatchObject({ state: 'resolved', opened_at: new Date(clock - 3 * 24 * 60 * MINUTE).toISOString() });
    expect(await logOf(item.id)).toEqual(['opened', 'quieted', 'resolved']);
  });

  test('quiet time quiets an incident and new evidence opens it again', async () => {
    await send([unsafe('quieted')]);
    const { id } = await waitForOne('quieted');
    clock += 31 * MINUTE;
    await send([unsafe('other')]);
    await waitForOne('quieted', ({ state }) => state === 'quiet');
    await send([unsafe('quieted')]);
    await waitForOne('quieted', ({ state }) => state === 'open');
    expect(await logOf(id)).toEqual(['opened', 'quieted', 'reopened']);
  });

  test('the overview counts what is open, and leads to the worst', async () => {
    await send([unsafe('counted')]);
    const { id } = await waitForOne('counted');
    const since = new Date(clock).toISOString();
    expect(await read('/api/v1/summary?server=counted', Summary)).toMatchObject({
      open_incidents: 1,
      worst_incident: {
        id,
        server: 'counted',
        severity: 'critical',
        cause: 'skipped_events',
        next_step: expect.stringMatching(/^Refuse a/),
      },
      losing: [{ server: 'counted', loss_incident: { id, since } }],
    });
    expect(await read('/api/v1/servers?server=counted', ServerList)).toMatchObject({
      items: [{ last_unsafe_at: since, loss_incident: { id, since } }],
    });
    expect(await read('/api/v1/summary?server=nobody', Summary)).toMatchObject({ open_incidents: 0, worst_incident: null });
  });

  test('of several open incidents the overview leads to the most severe, and an imported one is never it', async () => {
    const key = (name: string) => `${name}-${clock}`;
    const [mild, bad] = [key('mild'), key('bad')];
    await send([unsafe(bad)]);
    const worst = await waitForOne(bad);
    clock += MINUTE;
    await send([unsafe(mild)]);
    const { id } = await waitForOne(mild);
    await edge.sql`update incident set own_severity = 'warning' where id = ${id}::uuid`;
    const path = `/api/v1/summary?server=${mild},${bad}`;
    expect(await read(path, Summary)).toMatchObject({ open_incidents: 2, worst_incident: { id: worst.id } });
    await edge.sql`
      insert into incident (id, is_current, server, cause, title, state, severity, opened_at, last_evidence_at)
      values (${randomUUID()}, false, ${mild}, 'skipped_events', 'imported', 'open', 'critical', now(), now())`;
    expect(await read(`/api/v1/summary?server=${mild}`, Summary)).toMatchObject({
      open_incidents: 2,
      worst_incident: { id, severity: 'warning' },
    });
  });

  test('a loss that came back tells since when it is back', async () => {
    await send([unsafe('returning')]);
    await waitForOne('returning');
    clock += 31 * MINUTE;
    await send([unsafe('another')]);
    await waitForOne('returning', ({ state }) => state === 'quiet');
    expect(await read('/api/v1/servers?server=returning', ServerList)).toMatchObject({ items: [{ loss_incident: null }] });
    await send([unsafe('returning')]);
    await waitForOne('returning', ({ state }) => state === 'open');
    expect(await read('/api/v1/servers?server=returning', ServerList)).toMatchObject({
      items: [{ loss_incident: { since: new Date(clock).toISOString() } }],
    });
  });

  test('a spike of refusals stands out against its own past, and names sessions that felt it', async () => {
    const refusal = (at: number, session: string) =>
      attemptRecord({ server: 'spiking', at, session, verdict: 'refused', status: 409, code: -32010, reason: 'below_floor' });
    const begin = clock;
    await send(Array.from({ length: 24 }, (_, step) => refusal(begin + step * 5 * MINUTE + 1000, `steady-${step}`)));
    clock = begin + 24 * 5 * MINUTE;
    await send(Array.from({ length: 12 }, (_, n) => refusal(clock + 1000 + n, `spike-${n}`)));
    clock += 7 * MINUTE;
    await send([unsafe('wakes')]);
    const item = await waitForOne('spiking', ({ sessions_count }) => sessions_count === 12);
    expect(item).toMatchObject({ cause: 'resume_unavailable', severity: 'error', toll: { attempts: 12 } });
  });

  test('a database that cuts its connections again and again neither loses nor doubles evidence', async () => {
    const ATTEMPTS = 120;
    let sent = 0;
    let isDone = false;
    const cutting = (async () => {
      while (!isDone) {
        await edge.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidemark incidents'`;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (; sent < ATTEMPTS; sent += 4) {
      await send(Array.from({ length: 4 }, (_, n) => unsafe('cut', { session: `cut-${(sent + n) % 6}` })));
    }
    isDone = true;
    await cutting;
    const item = await waitForOne('cut', ({ records, toll }) => records === ATTEMPTS && toll.attempts >= ATTEMPTS);
    expect(item).toMatchObject({ sessions_count: 6, toll: { attempts: ATTEMPTS, events_lost: ATTEMPTS } });
    expect(await list('cut')).toHaveLength(1);
  });

  test('two replicas detect together what one would', async () => {
    const replica = await startEdge(edge.database.postgres.connection, { now: () => clock }, { audit: {} });
    try {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => send([unsafe('shared', { session: `s${n % 4}` })], n % 2 === 0 ? edge : replica)),
      );
      const item = await waitForOne('shared', ({ records, toll }) => records === 20 && toll.attempts >= 20);
      expect(item).toMatchObject({ sessions_count: 4, toll: { attempts: 20 } });
    } finally {
      await replica.stop();
    }
  });
});

describe('what people do', () => {
  test('owner, title, severity, links and comments are kept, each in the log', async () => {
    await send([unsafe('edited')]);
    const { id } = await waitForOne('edited');
    const edit = {
      title: 'Ours',
      owner: 'ada',
      severity: 'warning',
      links: [{ title: 'ticket', url: 'https://example.test/1' }],
      actor: 'ada',
    };
    const reply = await call(`${edge.base}/api/v1/incidents/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(edit),
    });
    expect(reply).toMatchObject({ status: 200, body: { title: 'Ours', owner: 'ada', severity: 'warning', links: edit.links } });
    expect(await act(id, 'comments', { text: 'looking', author: 'ada' })).toMatchObject({ status: 201 });
    expect(await logOf(id)).toEqual(['opened', 'title', 'owner', 'severity', 'links', 'comment']);
    for (const bad of [{ title: '' }, { severity: 'bad' }, { links: [{ title: 'x', url: 'javascript:1' }] }, { owner: 'a\0b' }]) {
      const refused = await call(`${edge.base}/api/v1/incidents/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bad),
      });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_field' } } });
    }
  });

  test('a resolved incident is opened again by a person and by later evidence', async () => {
    await send([unsafe('over')]);
    const { id } = await waitForOne('over');
    expect(await act(id, 'resolve', { actor: 'ada' })).toMatchObject({ status: 200, body: { state: 'resolved' } });
    expect(await act(id, 'reopen')).toMatchObject({ status: 200, body: { state: 'open', reopened: 1 } });
    expect(await act(id, 'resolve')).toMatchObject({ body: { state: 'resolved' } });
    clock += 1000;
    await send([unsafe('over')]);
    await waitForOne('over', ({ state }) => state === 'open');
    expect(await logOf(id)).toEqual(['opened', 'resolved', 'reopened', 'resolved', 'reopened']);
  });

  test('a merge moves everything, also what comes later', async () => {
    const generation = { requested_generation: 2, session: 'm2' };
    await send([unsafe('merged', { session: 'm1' }), unsafe('merged', generation)]);
    const items = await waitFor(
      () => list('merged'),
      (all) => all.length === 2 && all.every(({ records }) => records === 1),
    );
    const into = items.find(({ cause }) => cause === 'skipped_events');
    const from = items.find(({ cause }) => cause === 'former_generation');
    if (into === undefined || from === undefined) throw new Error('two causes');
    expect(await act(from.id, 'merge', { into: into.id })).toMatchObject({
      status: 200,
      body: { id: into.id, records: 2, sessions_count: 2, toll: { attempts: 2 } },
    });
    clock += 1000;
    await send([unsafe('merged', generation)]);
    await waitFor(
      () => list('merged'),
      (all) => all.some(({ id, records, toll }) => id === into.id && records === 3 && toll.attempts === 3),
    );
    expect(await read(`/api/v1/incidents/${from.id}`, IncidentDetail)).toMatchObject({
      state: 'resolved',
      merged_into: into.id,
      sessions: [],
      records: 0,
    });
    expect(await act(from.id, 'reopen')).toMatchObject({ status: 409, body: { error: { code: 'incident_conflict' } } });
  });

  test('sessions that are split off take their evidence with them, and what comes later', async () => {
    await send([unsafe('divided', { session: 'd1' }), unsafe('divided', { session: 'd2' })]);
    const whole = await waitForOne('divided', ({ records }) => records === 2);
    const sessions = (await read(`/api/v1/incidents/${whole.id}`, IncidentDetail))['sessions'] as string[];
    expect(await act(whole.id, 'split', { sessions: ['f'.repeat(32)] })).toMatchObject({ status: 400 });
    expect(await act(whole.id, 'split', { sessions })).toMatchObject({ status: 400, body: { error: { path: 'sessions' } } });
    const split = await act(whole.id, 'split', { sessions: sessions.slice(1) });
    expect(split).toMatchObject({ status: 201, body: { records: 1, sessions: sessions.slice(1) } });
    clock += 1000;
    await send([unsafe('divided', { session: 'd2' })]);
    await waitFor(
      () => list('divided'),
      (all) => all.some(({ id, records }) => id === split.body['id'] && records === 2),
    );
    expect(await read(`/api/v1/incidents/${whole.id}`, IncidentDetail)).toMatchObject({ records: 1, sessions: sessions.slice(0, 1) });
  });

  test('an imported incident has a state of its own and can be removed', async () => {
    const imported = await postJson(`${edge.base}/api/v1/incidents/import`, {
      title: 'in',
      records: [{ type: 'boot', server: 'imported' }],
    });
    const id = String(imported.body['id']);
    expect(await act(id, 'resolve')).toMatchObject({ status: 200, body: { state: 'resolved' } });
    expect(await act(id, 'reopen')).toMatchObject({ status: 200, body: { state: 'open' } });
    expect(await act(id, 'split', { sessions: ['a'.repeat(32)] })).toMatchObject({ status: 409 });
    const [detected] = await list('grouped');
    expect(await call(`${edge.base}/api/v1/incidents/${detected?.id}`, { method: 'DELETE' })).toMatchObject({ status: 409 });
    expect(await call(`${edge.base}/api/v1/incidents/${id}`, { method: 'DELETE' })).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await call(`${edge.base}/api/v1/incidents/${id}`)).toMatchObject({ status: 404 });
  });
});
