import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { initialize, JSON_BODY, openStream, post, postStream, resume, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, startProxy, until } from '@/tests/proxy/start-proxy';

/** Peers that vanish without a word: their connections stand, and nothing comes or goes any more. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A path that forwards until it is cut off, and then takes and gives nothing, without closing anything. */
async function path(port: number): Promise<{ port: number; vanish: () => void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.push(from);
      from.on('data', (chunk) => {
        if (!to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    vanish: () => {
      for (const socket of sockets) socket.removeAllListeners('data').removeAllListeners('drain').pause();
    },
  };
}

async function setUp(spec: Partial<RouteSpec> = {}, isUpstreamFar = false) {
  const calls: SeenRequest[] = [];
  const gets: SeenRequest[] = [];
  const upstream = await scriptedUpstream(
    withSession(`S-${Math.random()}`, (request) => {
      (request.method === 'POST' ? calls : gets).push(request);
      openSse(request.res).write(frame(request.method === 'POST' ? 'p1' : 'g1'));
    }),
  );
  cleanups.push(upstream.stop);
  const far = await path(upstream.port);
  const address = isUpstreamFar ? `http://127.0.0.1:${far.port}/mcp` : upstream.url;
  const running = await startProxy({ upstream: address, mode: 'enforce', ...spec });
  cleanups.push(running.stop);
  const near = await path(Number(new URL(running.origin).port));
  const url = running.url();
  const session = await initialize(url);
  return { upstream, running, url, session, calls, gets, far, near, nearUrl: `http://127.0.0.1:${near.port}/proxy/r` };
}

const LARGE = 'x'.repeat(100_000);
const ids = (stream: { events: { id: string | undefined }[] }) => stream.events.map(({ id }) => id);

/** More than all buffers on the way hold. */
const MANY = 300;

/** Writes events without waiting for anybody to take them; answers the last one's number. */
function flood(call: SeenRequest | undefined): number {
  for (let i = 2; i <= MANY; i++) call?.res.write(frame(`p${i}`, JSON.stringify(LARGE)));
  return MANY;
}

describe('a client that vanished', () => {
  test.each(['proxy', 'upstream'] as const)(
    'is noticed when it takes nothing more, and loses nothing unannounced: replay %s',
    async (replay) => {
      const { running, url, session, calls, near, nearUrl } = await setUp({
        replay,
        clientStallMs: 400,
        buffer: { events: 10_000, bytes: 1e9, ttlMs: 60_000 },
      });
      const call = await postStream(nearUrl, session, rpc(7, 'tools/call'));
      await until(() => call.events.length === 1);
      near.vanish();
      const last = flood(calls[0]);
      await until(() => running.logs.some((line) => line.includes('took nothing')));
      await until(() => running.records.some((record) => record.type === 'close'));
      calls[0]?.res.end(frame(`p${last + 1}`, resultFor(7)));
      if (replay === 'upstream') return;
      const back = await resume(url, session, 'p1');
      await until(back.isEnded);
      expect(ids(back)).toEqual(Array.from({ length: last }, (_, i) => `p${i + 2}`));
    },
  );

  test('gives way to itself when it comes back before that', async () => {
    const { url, session, calls, near, nearUrl, running } = await setUp({
      replay: 'proxy',
      buffer: { events: 10_000, bytes: 1e9, ttlMs: 60_000 },
    });
    const call = await postStream(nearUrl, session, rpc(7, 'tools/call'));
    await until(() => call.events.length === 1);
    near.vanish();
    const last = flood(calls[0]);
    const told = new Set<number>();
    const back = await until(async () => {
      const one = await resume(url, session, 'p1');
      if (one.status === 200) return one;
      told.add(one.status);
      one.close();
      return null;
    });
    calls[0]?.res.end(frame(`p${last + 1}`, resultFor(7)));
    await until(back.isEnded);
    expect(ids(back)).toEqual(Array.from({ length: last }, (_, i) => `p${i + 2}`));
    expect([...told]).toEqual([409]);
    expect(running.logs.some((line) => line.includes('took nothing'))).toBe(false);
  });

  test('gives way, and what it did not take is left to whoever comes for it', async () => {
    const { running, url, session, calls, near, nearUrl } = await setUp({
      replay: 'proxy',
      buffer: { events: 5, bytes: 1e9, ttlMs: 60_000 },
    });
    const call = await postStream(nearUrl, session, rpc(7, 'tools/call'));
    await until(() => call.events.length === 1);
    near.vanish();
    // Small ones: what one read brings is more than is retained.
    const last = 20_000;
    for (let i = 2; i < last; i++) calls[0]?.res.write(frame(`p${i}`, JSON.stringify('x'.repeat(1_500))));
    calls[0]?.res.end(frame(`p${last}`, resultFor(7)));
    let head = 0;
    const back = await until(async () => {
      head = (await running.proxy.sessions('r', 1))?.[0]?.streams[0]?.head ?? 0;
      const one = await resume(url, session, `p${head}`);
      if (one.status === 200) return one;
      one.close();
      return null;
    });
    await until(() => back.isEnded() || back.isCut());
    expect(back.events.length).toBeGreaterThan(last / 10);
    expect(ids(back)).toEqual(Array.from({ length: last - head }, (_, i) => `p${head + 1 + i}`));
  }, 30_000);

  test('is told from one that is only slow: whoever takes a little at a time is not cut', async () => {
    const { session, calls, running, url } = await setUp({ clientStallMs: 1_500 });
    const stream = await postStream(url, session, rpc(7, 'tools/call'));
    await until(() => stream.events.length === 1);
    stream.response.pause();
    let isTaking = true;
    const taking = (async () => {
      while (isTaking) {
        stream.response.read(16_384);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const last = flood(calls[0]);
    const before = Date.now();
    await until(() => Date.now() - before > 4_500);
    expect(stream.events.length).toBeLessThan(last);
    isTaking = false;
    await taking;
    stream.response.resume();
    calls[0]?.res.end(frame(`p${last + 1}`, resultFor(7)));
    await until(stream.isEnded);
    expect(stream.isCut()).toBe(false);
    expect(running.logs.some((line) => line.includes('took nothing'))).toBe(false);
  });

  test('who is silent because nothing is sent is not cut', async () => {
    const { url, session, gets } = await setUp({ clientStallMs: 100 });
    const stream = await openStream(url, { headers: session });
    await until(() => stream.events.length === 1);
    const before = Date.now();
    await until(() => Date.now() - before > 500);
    gets[0]?.res.write(frame('g2'));
    await until(() => stream.events.length === 2);
    expect(stream.isCut()).toBe(false);
  });
});

describe('an upstream that vanished', () => {
  /** Answers resumes as a server does that stored what it sent, for whichever call. */
  const replays = ({ headers, res }: SeenRequest): void => {
    const after = Number(String(headers['last-event-id']).slice(1));
    openSse(res).end([2, 3].map((n) => (n > after ? frame(`p${n}`, n === 3 ? resultFor(7) : undefined) : '')).join(''));
  };

  test.each(['proxy', 'upstream'] as const)(
    'is taken for lost after the silence that its route allows: its clients are cut, come back with their cursors, and miss nothing: replay %s',
    async (replay) => {
      const { url, session, calls, far, running, upstream } = await setUp({ upstreamSilenceMs: 300, replay }, true);
      const call = await postStream(url, session, rpc(7, 'tools/call'));
      await until(() => call.events.length === 1);
      far.vanish();
      calls[0]?.res.write(frame('p2'));
      await until(call.isCut);
      expect(running.logs.some((line) => line.includes('the upstream was silent'))).toBe(true);
      expect(ids(call)).toEqual(['p1']);
      upstream.answer = replays;
      const back = await resume(url, session, 'p1');
      await until(back.isEnded);
      expect([back.status, ids(back)]).toEqual([200, ['p2', 'p3']]);
    },
  );

  test.each(['proxy', 'upstream'] as const)(
    'sessions whose streams are given up together stay as they are: a side that gave up says nothing of the other: replay %s',
    async (replay) => {
      const { url, running, upstream } = await setUp({ upstreamSilenceMs: 300, replay });
      let minted = 0;
      upstream.answer = (request) => withSession(`S${++minted}`, ({ res }) => void openSse(res).write(frame('p1')))(request);
      const begin = async () => {
        const session = await initialize(url);
        return { session, stream: await postStream(url, session, rpc(7, 'tools/call')) };
      };
      const calls = await Promise.all([begin(), begin(), begin(), begin()]);
      expect(new Set(calls.map(({ session }) => session['mcp-session-id'])).size).toBe(4);
      await until(() => calls.every(({ stream }) => stream.isCut()));
      await until(() => running.logs.filter((line) => line.includes('the upstream was silent')).length === calls.length);
      // A doubt would have come with the second knock by now: an answer waits for the knocks that are under way.
      upstream.answer = replays;
      for (const { session } of calls) {
        const back = await resume(url, session, 'p1');
        await until(back.isEnded);
        expect([back.status, ids(back)]).toEqual([200, ['p2', 'p3']]);
      }
      expect(running.logs.filter((line) => line.includes('cut at once'))).toEqual([]);
    },
  );

  test('one that speaks is not taken for lost, nor one that waits for a slow client', async () => {
    const { url, session, calls } = await setUp({ upstreamSilenceMs: 2_000 });
    const call = await postStream(url, session, rpc(7, 'tools/call'));
    await until(() => call.events.length === 1);
    call.response.pause();
    const last = flood(calls[0]);
    const before = Date.now();
    await until(() => Date.now() - before > 4_000);
    call.response.resume();
    calls[0]?.res.end(frame(`p${last + 1}`, resultFor(7)));
    await until(call.isEnded);
    expect([call.isCut(), call.events.length]).toEqual([false, last + 1]);
  });
});

describe('heartbeats', () => {
  test('are written between events only, where the route allows them; events stay as they are', async () => {
    const { url, session, gets } = await setUp({ heartbeatMs: 50 });
    const stream = await openStream(url, { headers: session });
    await until(() => stream.bytes().toString().includes(':\n\n'));
    const sent = frame('g2', JSON.stringify('halved'));
    gets[0]?.res.write(sent.slice(0, 20));
    await until(() => stream.bytes().toString().endsWith(sent.slice(0, 20)));
    const before = Date.now();
    await until(() => Date.now() - before > 300);
    gets[0]?.res.write(sent.slice(20));
    await until(() => stream.events.length === 2);
    const text = stream.bytes().toString();
    expect(text).toContain(sent);
    expect(text.replaceAll(':\n\n', '')).toBe(frame('g1') + sent);
  });

  test('are none by default', async () => {
    const { url, session, gets } = await setUp();
    const stream = await openStream(url, { headers: session });
    await until(() => stream.events.length === 1);
    const before = Date.now();
    await until(() => Date.now() - before > 300);
    gets[0]?.res.end(frame('g2'));
    await until(stream.isEnded);
    expect(stream.bytes().toString()).toBe(frame('g1') + frame('g2'));
  });
});

test('a connection that was watched serves the next request as any other', async () => {
  const { url, session } = await setUp({ clientStallMs: 100 });
  for (let i = 0; i < 3; i++) expect((await post(url, { ...session, ...JSON_BODY }, rpc(null, 'notifications/x'))).status).toBe(202);
});
