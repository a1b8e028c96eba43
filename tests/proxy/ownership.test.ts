import { afterEach, describe, expect, test } from 'vitest';
import { fetchRaw, initialize, openStream, post, resume, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { startProxy, until } from '@/tests/proxy/start-proxy';

/** A session belongs to whoever created it, by whatever header that was said. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Headers = Record<string, string>;

/** A session of `owner` with one relayed event; what a resume of it is answered to anybody. */
async function sessionOf(owner: Headers, credentialHeaders: readonly string[]) {
  const upstream = await scriptedUpstream(
    withSession('S1', (request) => {
      if (request.headers['x-stranger'] !== undefined) request.res.writeHead(404).end();
      else openSse(request.res).write(request.headers['last-event-id'] === undefined ? frame('a') : ':\n\n');
    }),
  );
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', credentialHeaders });
  cleanups.push(running.stop);
  const { 'mcp-session-id': token = '' } = await initialize(running.url(), owner);
  const stream = await openStream(running.url(), { headers: { ...owner, 'mcp-session-id': token } });
  await until(() => stream.events.length === 1);
  stream.close();
  const asked = async (headers: Headers, name = token) => {
    const resumed = await resume(running.url(), { ...headers, 'mcp-session-id': name }, 'a');
    resumed.close();
    return resumed.status;
  };
  const refusal = async (headers: Headers, name = token) => {
    const known = upstream.answer;
    upstream.answer = ({ res }) => void res.writeHead(404).end();
    const before = upstream.seen.length;
    const { status, rawHeaders, body } = await fetchRaw(running.url(), {
      headers: { ...headers, 'mcp-session-id': name, 'last-event-id': 'a' },
    });
    upstream.answer = known;
    const kept = rawHeaders.filter((_, i) => rawHeaders[i - (i % 2)]?.toLowerCase() !== 'date');
    return { status, kept, body, questions: upstream.seen.slice(before).map(({ method, body: sent }) => [method, sent.toString()]) };
  };
  return { running, token, asked, refusal };
}

const KEY = ['x-api-key'];
const BOTH = ['authorization', 'cookie:sid', 'x-api-key'];

describe.each<[string, readonly string[], Headers, Headers]>([
  ['another API key', KEY, { 'x-api-key': 'one' }, { 'x-api-key': 'two' }],
  ['no API key', KEY, { 'x-api-key': 'one' }, {}],
  ['an API key where there was none', KEY, {}, { 'x-api-key': 'one' }],
  ['another cookie', ['cookie'], { cookie: 'sid=1' }, { cookie: 'sid=2' }],
  [
    'another of several credentials',
    BOTH,
    { authorization: 'Bearer a', 'x-api-key': 'k' },
    { authorization: 'Bearer a', 'x-api-key': 'l' },
  ],
  ['one of two credentials', BOTH, { authorization: 'Bearer a', 'x-api-key': 'k' }, { authorization: 'Bearer a' }],
  ['the same value in another header', BOTH, { 'x-api-key': 'k' }, { authorization: 'k' }],
  ['two values where one was', BOTH, { 'x-api-key': 'k' }, { authorization: 'k', 'x-api-key': 'k' }],
])('with %s', (_what, names, owner, other) => {
  test('a session is as unknown as one that never was; its owner resumes', async () => {
    const { token, asked, refusal } = await sessionOf(owner, names);
    const foreign = await refusal(other);
    expect(foreign.status).toBe(404);
    expect(await refusal(other, `${token} never was`)).toEqual(foreign);
    expect(await asked(owner)).toBe(200);
  });
});

test.each<[string, readonly string[], Headers, Headers]>([
  ['headers that carry none', KEY, { 'x-api-key': 'one' }, { 'x-api-key': 'one', authorization: 'Bearer renewed', cookie: 'a=1' }],
  ['cookies that are none', ['cookie:sid'], { cookie: 'seen=1; sid=x' }, { cookie: 'sid=x; seen=2; other=3' }],
])('%s make nobody another one', async (_what, names, owner, same) => {
  const { asked } = await sessionOf(owner, names);
  expect(await asked(same)).toBe(200);
});

test('somebody else ends, fences and learns nothing', async () => {
  const { running, token, refusal, asked } = await sessionOf({ 'x-api-key': 'one' }, KEY);
  const foreign = { 'x-api-key': 'two', 'mcp-session-id': token };
  await refusal(foreign);
  await fetchRaw(running.url(), { method: 'DELETE', headers: { ...foreign, 'x-stranger': '1' } });
  await post(running.url(), { ...foreign, 'x-stranger': '1' }, rpc(1, 'tools/list'));
  expect(await asked({ 'x-api-key': 'one' })).toBe(200);
});

test('no credential is logged or reported, nor anything that it could be read from', async () => {
  const { running, asked } = await sessionOf({ 'x-api-key': 'the-secret-key' }, KEY);
  await asked({ 'x-api-key': 'the-secret-key' });
  expect(JSON.stringify([running.records, running.logs])).not.toContain('the-secret-key');
});
