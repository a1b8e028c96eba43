import { afterEach, expect, test } from 'vitest';
import { Credentials } from '@/lib/proxy/credentials';
import { fetchRaw, JSON_BODY, openStream, rpc } from '@/tests/proxy/raw-client';
import { openSse, scriptedUpstream } from '@/tests/proxy/scripted-upstream';
import { startProxy, until } from '@/tests/proxy/start-proxy';

/** `canary` acts for a share of sessions: whatever belongs to another one is as it would be without the proxy. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const ANSWER = 'data: {"jsonrpc":"2.0","id":0,"result":{}}\n\n';
const SESSIONS = 40;

/** The share that a session is in, as every replica with this secret has it. */
const bucketOf = (token: string): number => {
  const credentials = new Credentials('test secret');
  return credentials.bucket(credentials.sessionKey('r', token));
};

async function inFront(canaryPercent: number) {
  let minted = 0;
  const upstream = await scriptedUpstream(({ method, res }) => {
    if (method !== 'POST') openSse(res).end(ANSWER);
    else {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': `session-${++minted}` });
      res.end(ANSWER);
    }
  });
  cleanups.push(upstream.stop);
  const running = await startProxy({ upstream: upstream.url, mode: 'canary', canaryPercent, replay: 'proxy' });
  cleanups.push(running.stop);
  return running.url();
}

test.each([1, 50, 100])(
  'the answer that names a session is altered for the share of %i percent alone, as all that follows is',
  async (percent) => {
    const url = await inFront(percent);
    const sides: Record<string, [boolean, boolean]> = {};
    for (let i = 0; i < SESSIONS; i++) {
      const begun = await openStream(url, { method: 'POST', headers: JSON_BODY, body: rpc(0, 'initialize') });
      await until(begun.isEnded);
      const token = String(begun.headers['mcp-session-id']);
      const isAltered = begun.bytes().toString() !== ANSWER;
      const resumed = await fetchRaw(url, { headers: { 'mcp-session-id': token, 'last-event-id': 'never-issued' } });
      sides[token] = [isAltered, resumed.status === 409];
    }
    const expected = Object.keys(sides).map((token) => [token, [bucketOf(token) < percent, bucketOf(token) < percent]]);
    expect(Object.entries(sides)).toEqual(expected);
  },
);

test('an initialize under the token of an earlier session counts as of the one that it begins', async () => {
  const url = await inFront(50);
  for (let i = 1; i <= SESSIONS; i++) {
    const headers = { ...JSON_BODY, 'mcp-session-id': `earlier-${i}` };
    const begun = await fetchRaw(url, { method: 'POST', headers, body: rpc(0, 'initialize') });
    expect([i, begun.body !== ANSWER]).toEqual([i, bucketOf(`session-${i}`) < 50]);
  }
});
