import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { IncidentLog } from '@/lib/incidents/answer-schema';
import { ReplayPlan, ReplayResult } from '@/lib/incidents/replay-schema';
import { openSse, type ScriptedUpstream, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { call, postJson, type Reply } from './api-client';
import { startTestDatabase, type TestDatabase } from './database';
import { type Edge, startEdge } from './edge';
import { waitFor } from './wait-for';

let database: TestDatabase;
let edge: Edge;
let faulty: ScriptedUpstream;
let sound: ScriptedUpstream;
let incident = '';

/** Resumes whatever it is given. */
const resumes = withSession('target-token', ({ res }) => openSse(res).write('id: first\ndata: {}\n\n'));
/** Refuses every cursor. */
const refuses = withSession('target-token', ({ method, headers, res }) => {
  if (method === 'DELETE' || headers['last-event-id'] === undefined) openSse(res).write('id: first\ndata: {}\n\n');
  else {
    res.writeHead(409, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32010, message: 'resume_unavailable' } }));
  }
});

beforeAll(async () => {
  [database, faulty, sound] = await Promise.all([startTestDatabase(), scriptedUpstream(resumes), scriptedUpstream(refuses)]);
  const replayTargets = [
    { name: 'faulty', url: faulty.url },
    { name: 'sound', url: sound.url },
    { name: 'nobody', url: 'http://127.0.0.1:9/mcp' },
  ];
  edge = await startEdge(database.postgres.connection, {}, { replayTargets });
  const cases = JSON.parse(readFileSync('tests/histories/S02.json', 'utf8')) as { case: string; title: string; records: unknown[] }[];
  const { title, records } = cases.find((one) => one.case === 'S02a') ?? expect.fail('no case S02a');
  incident = String((await postJson(`${edge.base}/api/v1/incidents/import`, { title, records })).body['id']);
});
afterAll(async () => {
  await edge?.stop();
  await Promise.all([database?.stop(), faulty?.stop(), sound?.stop()]);
});
afterEach(() => {
  for (const upstream of [faulty, sound]) upstream.seen.length = 0;
  faulty.answer = resumes;
});

const path = (id = incident) => `${edge.base}/api/v1/incidents/${id}/replays`;
const fast = { speed: 10_000, rate: 50, confirm: true };
const matches = (schema: TSchema, body: unknown) => expect([...Compile(schema).Errors(body)], JSON.stringify(body)).toEqual([]);
const replayed = async () => {
  const { body } = await call(`${edge.base}/api/v1/incidents/${incident}/log`);
  matches(IncidentLog, body);
  return (body['items'] as { type: string; detail: Record<string, unknown> }[]).filter(({ type }) => type === 'replayed');
};
const codeOf = ({ body }: Reply): unknown => (body['error'] as { code: string } | undefined)?.code;

test('the plan says what would be sent and where that is allowed', async () => {
  const { body } = await call(path());
  matches(ReplayPlan, body);
  expect(body).toMatchObject({ sessions: 1, resumes: 1, targets: [{ name: 'faulty' }, { name: 'sound' }, { name: 'nobody' }] });
  expect(faulty.seen).toEqual([]);
});

test.each([
  ['without a confirmation', { target: 'faulty' }, 409, 'confirmation_needed'],
  ['a target that is not listed', { target: 'http://127.0.0.1:9/mcp', confirm: true }, 400, 'invalid_field'],
  ['a rate beyond the limit', { target: 'faulty', rate: 51, confirm: true }, 400, 'invalid_field'],
  ['no pace at all', { target: 'faulty', speed: 0, confirm: true }, 400, 'invalid_field'],
  ['a header that would carry another', { target: 'faulty', authorization: 'x\r\ny: z', confirm: true }, 400, 'invalid_field'],
  ['nobody there', { target: 'nobody', ...fast }, 502, 'replay_failed'],
])('%s: nothing is sent', async (_name, body, status, code) => {
  const reply = await postJson(path(), body);
  expect([reply.status, codeOf(reply)], JSON.stringify(reply.body)).toEqual([status, code]);
  expect([...faulty.seen, ...sound.seen]).toEqual([]);
});

test('an incident that is not there cannot be done again', async () => {
  expect((await call(path('00000000-0000-4000-8000-000000000000'))).status).toBe(404);
  expect((await postJson(path('00000000-0000-4000-8000-000000000000'), { target: 'faulty', ...fast })).status).toBe(404);
});

test('recorded and actual verdicts stand side by side, and the log of the incident keeps what came of it', async () => {
  const { body } = await postJson(path(), { target: 'faulty', ...fast, actor: 'on call' });
  matches(ReplayResult, body);
  expect(body).toMatchObject({
    resumes: 1,
    as_recorded: 1,
    against_rules: 1,
    is_whole: true,
    items: [
      {
        sent: 'E_1042',
        recorded: { verdict: 'resumed', status: 200 },
        rules: { verdict: 'refuse', reason: 'below_floor' },
        actual: { verdict: 'resumed', status: 200 },
      },
    ],
  });
  const mended = await postJson(path(), { target: 'sound', authorization: 'Bearer x', ...fast });
  expect(mended.body).toMatchObject({
    as_recorded: 0,
    against_rules: 0,
    items: [{ actual: { verdict: 'refused', status: 409, code: -32010 } }],
  });
  expect(sound.seen.every(({ headers }) => headers.authorization === 'Bearer x')).toBe(true);
  const log = await replayed();
  expect(log.slice(-2)).toMatchObject([
    { actor: 'on call', detail: { target: 'faulty', against_rules: 1 } },
    { detail: { target: 'sound', against_rules: 0 } },
  ]);
  expect(JSON.stringify(log)).not.toContain('Bearer');
});

test('progress comes line by line, a second replay waits, and whoever goes away ends it and its sessions', async () => {
  const held = withSession('target-token', ({ method, res }) => {
    if (method === 'DELETE') res.writeHead(200).end();
    else openSse(res);
  });
  faulty.answer = held;
  const before = (await replayed()).length;
  const gone = new AbortController();
  const response = await fetch(path(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ target: 'faulty', speed: 0.1, rate: 1, confirm: true }),
    signal: gone.signal,
  });
  const reader = (response.body ?? expect.fail('no body')).getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  expect(JSON.parse(first.split('\n')[0] ?? '')).toMatchObject({ progress: { done: 1, resume: null } });
  expect(codeOf(await postJson(path(), { target: 'sound', ...fast }))).toBe('busy');
  gone.abort();
  await waitFor(
    async () => faulty.seen.map(({ method }) => method),
    (methods) => methods.includes('DELETE'),
  );
  const log = await waitFor(replayed, (entries) => entries.length > before);
  expect(log.at(-1)).toMatchObject({ detail: { target: 'faulty', is_whole: false } });
  const again = await waitFor(
    () => postJson(path(), { target: 'sound', ...fast }),
    ({ status }) => status === 200,
  );
  expect(again.body).toMatchObject({ resumes: 1 });
});
