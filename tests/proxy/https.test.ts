import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '@/lib/config/load-config';
import { fetchRaw, initialize, openStream, post, postStream, type RawStream, resume, rpc } from '@/tests/proxy/raw-client';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { type RouteSpec, startProxy, until } from '@/tests/proxy/start-proxy';

/** Streams by every way in which they are read: GET and POST, over http and https. */
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const pem = (name: string) => readFileSync(`tests/proxy/certificates/${name}.pem`, 'utf8');
const AUTHORITY = pem('authority');

type Answer = (request: SeenRequest) => void;

async function inFront(answer: Answer, certificate: string | null, spec: Partial<RouteSpec> = {}) {
  const upstream = await scriptedUpstream(withSession('S1', answer), '/mcp', certificate);
  cleanups.push(upstream.stop);
  const upstreamCa = certificate === null ? null : AUTHORITY;
  const running = await startProxy({ upstream: upstream.url, mode: 'enforce', upstreamCa, ...spec });
  cleanups.push(running.stop);
  return { upstream, running, url: running.url() };
}

const WAYS = [
  ['http', 'GET', null],
  ['http', 'POST', null],
  ['https', 'GET', pem('server')],
  ['https', 'POST', pem('server')],
] as const;

const open = (url: string, session: Record<string, string>, method: 'GET' | 'POST'): Promise<RawStream> =>
  method === 'GET' ? openStream(url, { headers: session }) : postStream(url, session, rpc(7, 'tools/call'));

const ids = (stream: RawStream) => stream.events.map(({ id }) => id);

describe.each(WAYS)('an %s upstream, the stream of a %s', (_protocol, method, certificate) => {
  test('every piece is flushed as it comes, byte for byte', async () => {
    const opened: SeenRequest[] = [];
    const { url } = await inFront((request) => {
      opened.push(request);
      openSse(request.res);
    }, certificate);
    const stream = await open(url, await initialize(url), method);
    const bytes = Buffer.from(`:hi\r\n\r\nretry: 7\n\n${frame('a')}data: no id\r\r${frame('\u00fc')}`);
    for (let at = 0; at < bytes.length; at += 11) {
      const upTo = Math.min(at + 11, bytes.length);
      opened[0]?.res.write(bytes.subarray(at, upTo));
      await until(() => stream.bytes().length === upTo);
    }
    expect(stream.bytes().equals(bytes)).toBe(true);
    stream.close();
  });

  test.each(['upstream', 'proxy'] as const)(
    'what was relayed is known, and a client that comes back misses nothing; replay %s',
    async (replay) => {
      const events = ['a', 'b', 'c', 'd', 'e'];
      const { url } = await inFront(
        ({ res, headers }) => {
          const from = events.indexOf(String(headers['last-event-id'])) + 1;
          openSse(res).write(
            events
              .slice(from, from === 0 ? 3 : 5)
              .map((id) => frame(id))
              .join(''),
          );
        },
        certificate,
        { replay },
      );
      const session = await initialize(url);
      const stream = await open(url, session, method);
      await until(() => stream.events.length === 3);
      stream.close();
      expect((await fetchRaw(url, { headers: { ...session, 'last-event-id': 'never' } })).status).toBe(409);
      const back = await until(async () => {
        const one = await resume(url, session, 'a');
        if (one.status === 200) return one;
        one.close();
        return null;
      });
      await until(() => back.events.length >= 2);
      expect(ids(back).slice(0, 2)).toEqual(['b', 'c']);
      expect(back.headers).toMatchObject({ 'tidemark-resumed-from': '1', 'tidemark-floor': '1' });
      back.close();
    },
  );

  test('a slow reader slows the upstream down, and gets all of it', async () => {
    const chunk = Buffer.from(frame('z', 'x'.repeat(64 * 1024)));
    const total = 48 * 1024 * 1024;
    let written = 0;
    let isStalled = false;
    const flood: Answer = ({ res, body, headers, method: asked }) => {
      if (asked === 'POST' && body.includes('tools/list')) {
        res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      if (headers['last-event-id'] !== undefined) return;
      openSse(res);
      const more = () => {
        while (written < total) {
          written += chunk.length;
          if (!res.write(chunk)) {
            isStalled = true;
            res.once('drain', more);
            return;
          }
        }
        res.end();
      };
      more();
    };
    const { url } = await inFront(flood, certificate);
    const session = await initialize(url);
    const stream = await open(url, session, method);
    stream.response.pause();
    let before = -1;
    await until(async () => {
      const isStill = isStalled && written === before;
      before = written;
      for (let i = 0; i < 20; i++) await post(url, session, rpc(i, 'tools/list'));
      return isStill;
    });
    expect(written).toBeLessThan(total / 2);
    stream.response.resume();
    await until(stream.isEnded);
    expect(stream.bytes().length).toBe(written);
  });

  test('a replay that leaves something out ends with the error where a call waits, and with a status where none does', async () => {
    const { url } = await inFront(
      ({ res, headers }) => {
        const isResumed = headers['last-event-id'] !== undefined;
        const stream = openSse(res);
        stream.write(isResumed ? frame('b') : frame('a') + frame('b') + frame('c') + frame('d'));
        if (isResumed) stream.write(frame('d'));
      },
      certificate,
      { refusal: 'auto' },
    );
    const session = await initialize(url);
    const stream = await open(url, session, method);
    await until(() => stream.events.length === 4);
    stream.response.socket.resetAndDestroy();
    // The answer of a call is read on without its client, and so is asked for upstream again.
    const back = await until(async () => {
      const one = await resume(url, session, 'a');
      if (one.status === 200) return one;
      one.close();
      return null;
    });
    await until(back.isEnded);
    const last = JSON.parse(back.events.at(-1)?.data ?? '{}');
    expect(ids(back)[0]).toBe('b');
    if (method === 'POST') expect(last).toMatchObject({ id: 7, error: { code: -32010, data: { reason: 'hole' } } });
    else expect(ids(back)).toEqual(['b']);
    const again = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'a' } });
    if (method === 'POST') expect(again.body).toMatch(/^event: message\nid: tidemark-end.*\ndata: .*"id":7,.*"reason":"hole"/s);
    else expect([again.status, JSON.parse(again.body).error.data.reason]).toEqual([409, 'hole']);
  });

  test('an upstream that is gone in mid-stream is said, and its successor is another generation', async () => {
    const { url, upstream } = await inFront(({ res }) => void openSse(res).write(frame('a')), certificate);
    const session = await initialize(url);
    const stream = await open(url, session, method);
    await until(() => stream.events.length === 1);
    await upstream.kill();
    await until(stream.isCut);
    await upstream.restart();
    await until(async () => (await fetchRaw(url, { headers: { ...session, 'last-event-id': 'never' } })).status !== 502);
    const answer = await fetchRaw(url, { headers: { ...session, 'last-event-id': 'a' } });
    expect([answer.status, JSON.parse(answer.body).error.data.reason]).toEqual([409, 'generation_mismatch']);
  });
});

test('the answer of a call that came while nobody was there is served to its end', async () => {
  const calls: SeenRequest[] = [];
  const { url } = await inFront(
    (request) => {
      calls.push(request);
      openSse(request.res).write(frame('p1'));
    },
    pem('server'),
    { replay: 'proxy' },
  );
  const session = await initialize(url);
  const call = await postStream(url, session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 1);
  call.close();
  calls[0]?.res.end(frame('p2') + frame('p3', resultFor(7)));
  const back = await until(async () => {
    const one = await resume(url, session, 'p1');
    if (one.status === 200) return one;
    one.close();
    return null;
  });
  await until(back.isEnded);
  expect(ids(back)).toEqual(['p2', 'p3']);
});

test.each([
  ['that signed itself', 'stranger', AUTHORITY],
  ['of an authority that is not the one named', 'server', pem('stranger')],
  ['of an authority that nobody named', 'server', null],
  ['of another host', 'elsewhere', AUTHORITY],
])('a certificate %s is refused in words, and nothing is sent', async (_what, certificate, upstreamCa) => {
  const { url, upstream } = await inFront(({ res }) => void res.end(), pem(certificate), { upstreamCa });
  const answers = await Promise.all([
    post(url, {}, rpc(1, 'initialize')),
    fetchRaw(url),
    fetchRaw(url, { method: 'DELETE', headers: { 'mcp-session-id': 'S1' } }),
    fetchRaw(url, { headers: { 'mcp-session-id': 'S1', 'last-event-id': 'a' } }),
  ]);
  for (const { status, body } of answers.slice(0, 3)) expect([status, JSON.parse(body).error.code]).toEqual([502, 'upstream_untrusted']);
  expect(answers[3]?.status).not.toBe(200);
  expect(upstream.seen).toEqual([]);
});

test('an https upstream is never asked over http, not where nothing else answers and not by its own redirect', async () => {
  const clear = await scriptedUpstream(({ res }) => void res.end('clear'));
  cleanups.push(clear.stop);
  const running = await startProxy({ upstream: clear.url.replace('http:', 'https:'), mode: 'enforce', upstreamCa: AUTHORITY });
  cleanups.push(running.stop);
  expect((await post(running.url(), {}, rpc(1, 'initialize'))).status).toBe(502);
  expect((await fetchRaw(running.url())).status).toBe(502);
  const { url } = await inFront(({ res }) => void res.writeHead(307, { location: clear.url }).end(), pem('server'));
  const redirected = await post(url, {}, rpc(1, 'tools/list'));
  expect([redirected.status, redirected.headers.location]).toEqual([307, clear.url]);
  expect(clear.seen).toEqual([]);
});

test.each([
  ['a file that is not there', 'nowhere.pem', 'https://h/mcp'],
  ['a file without a certificate', 'tests/proxy/certificates/README.md', 'https://h/mcp'],
  ['an upstream that shows no certificate', 'tests/proxy/certificates/authority.pem', 'http://h/mcp'],
])('certificates that cannot be used refuse the start: %s', async (_what, upstreamCa, upstream) => {
  const { mkdtemp, writeFile, rm } = await import('node:fs/promises');
  const folder = await mkdtemp('/tmp/tidemark-config-');
  cleanups.push(() => rm(folder, { recursive: true }));
  const file = `${folder}/tidemark.json`;
  await writeFile(file, JSON.stringify({ proxy: { routes: [{ name: 'r', upstream, upstream_ca: upstreamCa }] } }));
  const loaded = loadConfig({ TIDEMARK_CONFIG: file });
  expect(loaded.ok ? [] : loaded.error.map(({ path }) => path)).toEqual(['proxy.routes[0].upstream_ca']);
});
