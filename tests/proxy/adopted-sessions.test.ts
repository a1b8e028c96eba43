import { afterEach, expect, test } from 'vitest';
import { fetchRaw, initialize, openStream, post, resume, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { startProxy, until } from '@/tests/proxy/start-proxy';

/** Sessions that were alive before the proxy heard of them. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('one whose ids are short resumes only after a new initialize, and is told so: the reason, and the next step', async () => {
  let count = 0;
  const upstream = await scriptedUpstream(
    withSession('S-before', ({ headers, res }) => {
      const isResume = headers['last-event-id'] !== undefined;
      openSse(res).write(isResume ? frame(String(count)) : frame(String(++count)) + frame(String(++count)));
    }),
  );
  cleanups.push(upstream.stop);
  const session = await initialize(upstream.url);
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce' });
  cleanups.push(running.stop);
  const relayed = async () => {
    const stream = await openStream(running.url(), { headers: session });
    await until(() => stream.events.length === 2);
    stream.close();
    await until(() => running.proxy.routes()[0]?.openStreams === 0);
  };

  await relayed();
  const refused = await fetchRaw(running.url(), { headers: { ...session, 'last-event-id': '1' } });
  const { code, message, data } = JSON.parse(refused.body).error;
  expect([refused.status, code, data.reason, data.next_step]).toEqual([409, -32010, 'generation_unknown', 'reinitialize']);
  expect(message).toMatch(/cannot be proved which generation .* start a new session with initialize$/);
  expect((await post(running.url(), session, rpc(2, 'tools/list'))).status).toBe(404);

  await initialize(running.url());
  await relayed();
  const resumed = await resume(running.url(), session, '3');
  await until(() => resumed.events.length === 1);
  expect([resumed.status, resumed.events.map(({ id }) => id)]).toEqual([200, ['4']]);
  resumed.close();
});
