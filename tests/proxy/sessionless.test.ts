import { afterEach, expect, test } from 'vitest';
import { fetchRaw, initialize, resume } from '@/tests/proxy/raw-client';
import { frame, openSse, type ScriptedUpstream, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, type RunningProxy, startProxy, until } from '@/tests/proxy/start-proxy';

/** A cursor belongs to a session: one that comes without is of none that could be known. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function inFront(spec: Partial<RouteSpec>): Promise<{ upstream: ScriptedUpstream; running: RunningProxy }> {
  const upstream = await scriptedUpstream(withSession('S1', ({ res }) => void openSse(res).end(frame('e1'))));
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, ...spec });
  cleanups.push(running.stop);
  return { upstream, running };
}

const asked = ({ seen }: ScriptedUpstream) => seen.map(({ method, headers }) => [method, headers['last-event-id']]);
const attemptOf = ({ records }: RunningProxy) => until(() => records.find((record) => record.type === 'resume_attempt'));

test.each([
  ['enforce', 'upstream', 'status'],
  ['enforce', 'proxy', 'auto'],
  ['canary', 'proxy', 'terminal_error'],
] as const)('is refused as of an unknown session, and reported: %s, replay %s, refusal %s', async (mode, replay, refusal) => {
  const { upstream, running } = await inFront({ mode, replay, refusal, canaryPercent: 100 });
  const answer = await fetchRaw(running.url(), { headers: { 'last-event-id': 'never-issued' } });
  expect([answer.status, JSON.parse(answer.body).error]).toMatchObject([404, { code: -32001, data: { type: 'session_gone' } }]);
  expect(asked(upstream)).toEqual([]);
  const facts = { session: null, session_state: 'unknown', last_event_id: 'never-issued' };
  expect(await attemptOf(running)).toMatchObject({ ...facts, verdict: 'refused', reason: 'session_unknown', status: 404, code: -32001 });
  expect(running.proxy.routes()[0]?.refused).toEqual({ session_unknown: 1 });
});

test.each(['shadow', 'canary'] as const)(
  'goes on where nobody is refused, and is reported with what the rules say of it: %s',
  async (mode) => {
    const { upstream, running } = await inFront({ mode, canaryPercent: 99 });
    expect((await fetchRaw(running.url(), { headers: { 'last-event-id': 'never-issued' } })).body).toBe(frame('e1'));
    expect(asked(upstream)).toEqual([['GET', 'never-issued']]);
    expect(await attemptOf(running)).toMatchObject({ session: null, session_state: 'unknown', verdict: 'resumed', status: 200 });
    expect(running.proxy.routes()[0]?.wouldRefuse).toEqual({ session_unknown: 1 });
  },
);

test('goes on where the route says that its upstream resumes without sessions, and nothing is claimed of it', async () => {
  const { upstream, running } = await inFront({ mode: 'enforce', sessionlessCursors: 'pass' });
  expect((await fetchRaw(running.url(), { headers: { 'last-event-id': 'e0' } })).body).toBe(frame('e1'));
  expect(asked(upstream)).toEqual([['GET', 'e0']]);
  const attempt = await attemptOf(running);
  expect(attempt).toMatchObject({ session: null, last_event_id: 'e0', verdict: 'resumed', status: 200 });
  expect(attempt).not.toHaveProperty('session_state');
  const session = await initialize(running.url());
  const judged = await resume(running.url(), session, 'never-issued');
  expect(judged.status).toBe(409);
  judged.close();
});

test.each([
  ['no cursor', {}],
  ['an empty one', { 'last-event-id': '' }],
  ['one of an era without resumption', { 'last-event-id': 'e0', 'mcp-protocol-version': '2026-07-28' }],
])('%s without a session is no attempt to resume', async (_what, headers) => {
  const { running } = await inFront({ mode: 'enforce' });
  expect((await fetchRaw(running.url(), { headers })).body).toBe(frame('e1'));
  expect(running.records.some((record) => record.type === 'resume_attempt')).toBe(false);
});
